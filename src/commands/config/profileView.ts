import type { ProfileSummary } from '../../bot/profileSummary.ts';
import type { View } from '../../display/display.ts';
import { safeLine } from '../../display/safeText.ts';

function tokenText({ token }: ProfileSummary): string {
  const known = token.ending === undefined ? token.problem : `ends in ${token.ending}`;
  return known === undefined ? token.phrase : `${token.phrase} (${known})`;
}

export function profileJson(summary: ProfileSummary): Record<string, unknown> {
  const { source, phrase, ending, problem } = summary.token;
  return {
    name: summary.name,
    in_use: summary.inUse,
    base_url: summary.baseUrl,
    token: { source, from: phrase, ending, problem },
    ...chainJson(summary),
    ...Object.fromEntries(summary.settings.map(({ key, value }) => [key.replaceAll('-', '_'), value])),
  };
}

function chainJson({ chain }: ProfileSummary): Record<string, unknown> {
  const { rpc, cluster, wallet, assets } = chain;
  return { ...(rpc.length === 0 ? {} : { rpc }), cluster, wallet, assets };
}

function chainRows({ chain }: ProfileSummary): [string, string][] {
  const { rpc, cluster, wallet, assets = {} } = chain;
  return [
    ...rpc.map((node): [string, string] => ['rpc-url', node]),
    ...(cluster === undefined ? [] : [['cluster', cluster] as [string, string]]),
    ...(wallet === undefined ? [] : [['wallet', wallet] as [string, string]]),
    ...Object.entries(assets).map(([asset, mint]): [string, string] => ['asset', `${asset} ${mint}`]),
  ];
}

function rowsOf(summary: ProfileSummary): [string, string][] {
  return [
    ['profile', summary.inUse ? `${summary.name} (in use)` : summary.name],
    ['base-url', summary.baseUrl],
    ['token', tokenText(summary)],
    ...summary.settings.map(({ key, value }): [string, string] => [key, value]),
    ...chainRows(summary),
  ];
}

/** What is shown of one key. */
export function shownValue(summary: ProfileSummary, wanted: string): string | undefined {
  // Each asset has a row of its own.
  const rowKey = wanted === 'assets' ? 'asset' : wanted;
  const values = rowsOf(summary).flatMap(([key, value]) => (key === rowKey ? [value] : []));
  return values.length === 0 ? undefined : values.join(', ');
}

/** A line that says what was done; for a program, the profile as it stands then. */
export function changedView(command: string, summary: ProfileSummary, line: string): View {
  return { ...profileView(command, summary), human: () => `${safeLine(line)}\n` };
}

/** A profile after it was shown or added; `headline` says what was done, if anything was. */
export function profileView(command: string, summary: ProfileSummary, headline?: string): View {
  const rows = rowsOf(summary);
  return {
    json: { schema: 'botctl/1', command, profile: profileJson(summary) },
    human: ({ paint }) => {
      const lines = rows.map(([key, value]) => `${paint.dim(key.padEnd(9))} ${safeLine(value)}`);
      return `${[...(headline === undefined ? [] : [headline]), ...lines].join('\n')}\n`;
    },
    quiet: summary.name,
  };
}

/** One line of the list. */
export function profileRow(command: string, summary: ProfileSummary, nameWidth: number): View {
  return {
    json: { schema: 'botctl/1', command, profile: profileJson(summary) },
    human: ({ paint }) => {
      const mark = summary.inUse ? paint.green('*') : ' ';
      const name = paint.bold(safeLine(summary.name).padEnd(nameWidth));
      return `${mark} ${name}  ${safeLine(summary.baseUrl)}  ${paint.dim(safeLine(tokenText(summary)))}\n`;
    },
    quiet: summary.name,
  };
}
