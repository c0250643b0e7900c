import type { Probe } from '../wire/probe.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const dayMs = 86_400_000;
const soonDays = 14;
const noticedMs = 30_000;
const tooFarMs = 5 * 60_000;

/** The proxy that the environment names, and whether it is on the way to this service. */
export type ProxyFacts = {
  readonly shown: string;
  readonly used: boolean;
  readonly trouble?: string | undefined;
};

export function addressFinding(
  baseUrl: string,
  found: Probe,
  proxy: ProxyFacts | undefined,
  nowMs: number,
): Finding {
  if (!found.reached) {
    return fail(
      'address',
      `${baseUrl} cannot be reached: ${found.trouble ?? 'nothing says why'}`,
      proxy?.used
        ? `Check the proxy ${proxy.shown} (HTTPS_PROXY, NO_PROXY), then the base URL.`
        : 'Check the base URL, the network, and whether a proxy is needed (HTTPS_PROXY).',
    );
  }
  const { tls } = found;
  if (tls === undefined) return ok('address', `${baseUrl} answers`);
  const says = `${baseUrl} answers with ${tls.protocol}`;
  if (tls.validToMs === undefined) return ok('address', says);
  const until = new Date(tls.validToMs).toISOString().slice(0, 10);
  if (tls.validToMs - nowMs < soonDays * dayMs) {
    return warn('address', `${says}; its certificate ends on ${until}`, 'Tell whoever runs the service.');
  }
  return ok('address', `${says}, certificate until ${until}`);
}

export function proxyFinding(proxy: ProxyFacts | undefined): Finding {
  if (proxy === undefined) return ok('proxy', 'none');
  if (proxy.trouble !== undefined) {
    return fail('proxy', proxy.trouble, 'Set HTTPS_PROXY to a URL like http://proxy:3128, or unset it.');
  }
  return ok('proxy', proxy.used ? proxy.shown : `${proxy.shown} is set, and not used for this service`);
}

export function insecureTlsFinding(env: Readonly<Record<string, string | undefined>>): Finding[] {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return [];
  const todo = 'Unset it. For a private certificate authority set NODE_EXTRA_CA_CERTS to its certificate.';
  return [
    fail(
      'tls',
      'NODE_TLS_REJECT_UNAUTHORIZED=0 is set: no certificate is checked, and nothing is sent',
      todo,
    ),
  ];
}

/** The service's clock against this one, and this one against what the journal has seen. */
export function clockFinding(
  clock: Probe['clock'],
  latestInJournalMs: number | undefined,
  nowMs: number,
): Finding {
  if (latestInJournalMs !== undefined && latestInJournalMs - nowMs > tooFarMs) {
    return fail(
      'clock',
      `this machine’s clock is behind the journal’s last entry (${new Date(latestInJournalMs).toISOString()})`,
      'Set the clock: with it, what is unknown counts as too old and is held.',
    );
  }
  if (clock === undefined) {
    return warn(
      'clock',
      'not compared: no Date came from the service, and its API is not asked here',
      'Compare it with a clock you trust: date -u.',
    );
  }
  const offMs = clock.oursMs - clock.theirsMs;
  const says = `${describe(offMs)} the service’s`;
  const todo = 'Set the clock: how old an unknown transfer is is judged by it.';
  if (Math.abs(offMs) > tooFarMs) return fail('clock', says, todo);
  return Math.abs(offMs) > noticedMs ? warn('clock', says, todo) : ok('clock', says);
}

function describe(offMs: number): string {
  // A Date header has whole seconds: less than two say nothing.
  const seconds = Math.round(Math.abs(offMs) / 1000);
  if (seconds < 2) return 'agrees with';
  return `${seconds} s ${offMs > 0 ? 'ahead of' : 'behind'}`;
}
