import { type Complaint, complain } from './complaint.ts';

export type Button = {
  readonly type: 'button';
  readonly label: string;
  readonly style?: string;
  readonly custom_id: string;
};

type Row = { readonly type: 'action_row'; readonly components: readonly Component[] };

/** Types that the service's document does not show are passed on as they are. */
type OtherComponent = { readonly type: string };

export type Component = Row | Button | OtherComponent;

const knownStyles: readonly string[] = ['success', 'danger'];

/** `--button` and `--row` in the order they were given: a row mark begins a new row. */
export type ButtonWord = { readonly button: string } | 'row';

const fieldNames = new Map<string, 'label' | 'custom_id' | 'style'>([
  ['label', 'label'],
  ['id', 'custom_id'],
  ['custom_id', 'custom_id'],
  ['style', 'style'],
]);

/** Splits at commas; `\,` is a comma and `\\` a backslash. */
function splitAtCommas(text: string): string[] {
  const parts: string[] = [''];
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\\' && /[\\,]/u.test(text.charAt(index + 1))) {
      index += 1;
      parts.push(`${parts.pop() ?? ''}${text.charAt(index)}`);
    } else if (character === ',') parts.push('');
    else parts.push(`${parts.pop() ?? ''}${character}`);
  }
  return parts;
}

export function parseButton(text: string): Button | Complaint {
  const fields = new Map<'label' | 'custom_id' | 'style', string>();
  for (const part of splitAtCommas(text)) {
    const equals = part.indexOf('=');
    const name = fieldNames.get(part.slice(0, Math.max(equals, 0)).trim());
    if (equals < 0 || name === undefined) {
      return complain('--button', 'button', { unknown: part });
    }
    if (fields.has(name)) return complain('--button', 'button', { twice: name });
    fields.set(name, part.slice(equals + 1));
  }
  const label = fields.get('label');
  const customId = fields.get('custom_id');
  const style = fields.get('style');
  if (!label) return complain('--button', 'button', 'no-label');
  if (!customId) return complain('--button', 'button', 'no-id');
  if (style === '') return complain('--button', 'button', 'empty-style');
  return { type: 'button', label, ...(style === undefined ? {} : { style }), custom_id: customId };
}

/** Rows of buttons from the words of the command line. */
export function rowsFrom(words: readonly ButtonWord[]): { rows: Row[]; complaints: Complaint[] } {
  const rows: Button[][] = [[]];
  const complaints: Complaint[] = [];
  for (const word of words) {
    if (word === 'row') {
      rows.push([]);
      continue;
    }
    const button = parseButton(word.button);
    if ('rule' in button) complaints.push(button);
    else rows.at(-1)?.push(button);
  }
  // A --row before the first button merely begins it.
  if (rows[0]?.length === 0 && rows.length > 1) rows.shift();
  if (complaints.length === 0 && rows.some((row) => row.length === 0)) {
    complaints.push(complain('--row', 'row-mark', 'no-buttons'));
  }
  return { rows: rows.map((components) => ({ type: 'action_row', components })), complaints };
}

export function isRow(component: Component): component is Row {
  return component.type === 'action_row';
}

export function isButton(component: Component): component is Button {
  return component.type === 'button';
}

/** Every button, wherever it stands. */
function buttonsIn(components: readonly Component[]): Button[] {
  return components.flatMap((component) => {
    if (isRow(component)) return buttonsIn(component.components);
    return isButton(component) ? [component] : [];
  });
}

export function repeatedIds(components: readonly Component[]): Complaint[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { custom_id: id } of buttonsIn(components)) {
    if (seen.has(id)) repeated.add(id);
    seen.add(id);
  }
  return [...repeated].map((id) => complain('components', 'distinct-ids', { id }));
}

/** What is sent as it is, and may not be what was meant. */
export type Warning =
  | { readonly is: 'unknown-style'; readonly style: string; readonly known: readonly string[] }
  | { readonly is: 'more-unknown-styles'; readonly count: number };

const mostWarnings = 5;

export function componentWarnings(components: readonly Component[]): Warning[] {
  const styles = new Set(buttonsIn(components).flatMap(({ style }) => (style === undefined ? [] : [style])));
  const unknown = [...styles].filter((style) => !knownStyles.includes(style));
  const warnings = unknown
    .slice(0, mostWarnings)
    .map((style): Warning => ({ is: 'unknown-style', style, known: knownStyles }));
  const more = unknown.length - warnings.length;
  return more === 0 ? warnings : [...warnings, { is: 'more-unknown-styles', count: more }];
}
