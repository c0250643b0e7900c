import type { Probe } from '../wire/probe.ts';
import type { ProxyInEnv } from '../wire/proxyInEnv.ts';
import {
  addressAnswers,
  addressFails,
  certificateEnds,
  certificateUntil,
  checkTheAddress,
  checkTheProxy,
  clockAgainstService,
  clockBehindJournal,
  clockNotCompared,
  proxyNotUsed,
  setTheClock,
  uncheckedCertificates,
} from '../words/doctor.ts';
import { adviceOn, troubleWords } from '../words/trouble.ts';
import { notAProxy, proxyHint, unreadableProxy } from '../words/wire.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const dayMs = 86_400_000;
const soonDays = 14;
const noticedMs = 30_000;
const tooFarMs = 5 * 60_000;

/** The proxy that the environment names, and whether it is on the way to this service. */
type ProxyFacts = Pick<ProxyInEnv, 'shown' | 'bad'> & { readonly used: boolean };

export function addressFinding(
  baseUrl: string,
  found: Probe,
  proxy: ProxyFacts | undefined,
  nowMs: number,
): Finding {
  if (!found.reached || found.speaksOther) {
    const advice = adviceOn(found.trouble);
    const check = proxy?.used ? checkTheProxy(shownOf(proxy)) : checkTheAddress;
    return fail('address', {
      says: addressFails(baseUrl, found.reached, found.trouble && troubleWords(found.trouble)),
      todo: advice === undefined ? check : `${advice}.`,
    });
  }
  const { tls } = found;
  const says = addressAnswers(baseUrl, tls?.protocol);
  if (tls?.validToMs === undefined) return ok('address', says);
  return tls.validToMs - nowMs < soonDays * dayMs
    ? warn('address', certificateEnds(says, tls.validToMs))
    : ok('address', certificateUntil(says, tls.validToMs));
}

export function proxyFinding(proxy: ProxyFacts | undefined): Finding {
  if (proxy === undefined) return ok('proxy', 'none');
  if (proxy.bad !== undefined) return fail('proxy', { says: notAProxy(proxy.bad), todo: proxyHint });
  return ok('proxy', proxy.used ? shownOf(proxy) : proxyNotUsed(shownOf(proxy)));
}

function shownOf({ shown }: ProxyFacts): string {
  return shown ?? unreadableProxy;
}

export function insecureTlsFinding(env: Readonly<Record<string, string | undefined>>): Finding[] {
  return env.NODE_TLS_REJECT_UNAUTHORIZED === '0' ? [fail('tls', uncheckedCertificates)] : [];
}

/** The service's clock against this one, and this one against what the journal has seen. */
export function clockFinding(
  clock: Probe['clock'],
  latestInJournalMs: number | undefined,
  nowMs: number,
): Finding {
  if (latestInJournalMs !== undefined && latestInJournalMs - nowMs > tooFarMs) {
    return fail('clock', clockBehindJournal(latestInJournalMs));
  }
  if (clock === undefined) return warn('clock', clockNotCompared);
  const aheadMs = clock.oursMs - clock.theirsMs;
  const says = clockAgainstService(aheadMs);
  const advice = { says, todo: setTheClock };
  if (Math.abs(aheadMs) > tooFarMs) return fail('clock', advice);
  return Math.abs(aheadMs) > noticedMs ? warn('clock', advice) : ok('clock', says);
}
