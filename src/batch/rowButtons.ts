import { complainOfRow, type RowComplaint } from './rowRules.ts';

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function buttonOf({ id, ...rest }: Fields): Fields {
  return { type: 'button', ...(id === undefined ? {} : { custom_id: id }), ...rest };
}

/** The short `buttons` of a row as the `components` of a payload: one row of buttons, or several. */
export function componentsFrom(buttons: unknown): RowComplaint | readonly Fields[] {
  if (!Array.isArray(buttons) || buttons.length === 0) return complainOfRow('buttons', 'buttons', 'other');
  const rows: readonly unknown[] = buttons.every(Array.isArray) ? buttons : [buttons];
  const components: Fields[] = [];
  for (const row of rows) {
    if (!Array.isArray(row) || !row.every(isObject)) return complainOfRow('buttons', 'buttons', 'other');
    components.push({ type: 'action_row', components: row.map(buttonOf) });
  }
  return components;
}
