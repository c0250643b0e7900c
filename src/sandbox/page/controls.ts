import { faultKinds, faultMoments } from '../faults.ts';
import { choicesOf, defaultReadings, type Readings } from '../readings.ts';
import type { Service } from '../service.ts';
import { type Html, html } from './html.ts';

/** A form to each reading: a choice where there are few values, else its JSON. */
export function readingsSection(service: Service): Html {
  const readings = service.readings();
  const names = Object.keys(defaultReadings) as (keyof Readings)[];
  return html`${names.map((name) => readingForm(name, readings))}`;
}

function readingForm(name: keyof Readings, readings: Readings): Html {
  const value = JSON.stringify(readings[name]);
  const isChanged = value !== JSON.stringify(defaultReadings[name]);
  const choices = choicesOf(name)?.map((choice) => JSON.stringify(choice));
  const id = `reading-${name}`;
  const field =
    choices === undefined
      ? html`<input id="${id}" name="${name}" value="${value}" spellcheck="false" autocomplete="off">`
      : html`<select id="${id}" name="${name}">${choices.map((choice) => option(choice, choice === value))}</select>`;
  return html`<form class="reading${isChanged ? ' changed' : ''}" data-post="/control/readings">
    <label for="${id}">${name}</label>${field}<button id="set-${name}">Set</button>
  </form>`;
}

/** What waits for requests, and a form to add one more. */
export function faultsSection({ ledger }: Service): Html {
  const queued = ledger.faults.list();
  const list = queued.map(({ fault, remaining }) => {
    const { kind, when, operation, key, ...more } = fault;
    const rest = Object.entries({
      ...(operation === null ? {} : { operation }),
      ...(key === null ? {} : { key }),
      ...more,
    });
    const words = rest.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ');
    return html`<li><b>${kind}</b> ${when}${words === '' ? '' : `, ${words}`} <span class="times">&times; ${remaining}</span></li>`;
  });
  return html`${queued.length === 0 ? html`<p class="none">No fault waits.</p>` : html`<ol class="faults">${list}</ol>`}
  <form class="fault" data-fault>
    <label for="fault-kind">Fault</label>
    <select id="fault-kind" name="kind">${faultKinds.map((kind) => option(kind, kind === 'drop'))}</select>
    <label for="fault-when">when</label>
    <select id="fault-when" name="when">${faultMoments.map((when) => option(when, when === 'before'))}</select>
    <label for="fault-operation">for</label>
    <select id="fault-operation" name="operation">
      <option value="">both operations</option>${['message', 'transfer', 'rpc'].map((name) => option(name, false))}
    </select>
    <label for="fault-more">and</label>
    <input id="fault-more" name="more" placeholder='{"status": 503}' spellcheck="false" autocomplete="off">
    <button id="fault-add">Add</button>
    <button id="fault-clear" type="button" data-clear>Clear all</button>
  </form>`;
}

function option(value: string, isChosen: boolean): Html {
  return isChosen
    ? html`<option value="${value}" selected>${value}</option>`
    : html`<option value="${value}">${value}</option>`;
}
