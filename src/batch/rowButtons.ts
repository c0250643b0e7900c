import { type Complaint, said as complain } from '../intent/complaint.ts';
import { buttonsRule, notButtons } from '../words/row.ts';

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function buttonOf({ id, ...rest }: Fields): Fields {
  return { type: 'button', ...(id === undefined ? {} : { custom_id: id }), ...rest };
}

/** The short `buttons` of a row as the `components` of a payload: one row of buttons, or several. */
export function componentsFrom(buttons: unknown): Complaint | readonly Fields[] {
  if (!Array.isArray(buttons) || buttons.length === 0) return complain('buttons', buttonsRule, notButtons);
  const rows: readonly unknown[] = buttons.every(Array.isArray) ? buttons : [buttons];
  const components: Fields[] = [];
  for (const row of rows) {
    if (!Array.isArray(row) || !row.every(isObject)) return complain('buttons', buttonsRule, notButtons);
    components.push({ type: 'action_row', components: row.map(buttonOf) });
  }
  return components;
}
