import { html, nothing } from '/lit-html/lit-html.js';
import { repeat } from '/lit-html/directives/repeat.js';
import { badge, bar, lasting, tableSection, versionsView } from './parts.mjs';
import { urgency } from './words.mjs';

/** @typedef {import('../rows.ts').CellRow} CellRow */
/** @typedef {import('../view.ts').TableView} TableView */

/** What is drawn at once; thousands of rows are found by the filter. */
const MOST = 200;

/** @typedef {Pick<import('./state.mjs').State, 'rows' | 'hasRows' | 'policies' | 'filter' | 'show' | 'all'>} CellsState */

/** @type {readonly { name: string, text: string, has: (row: CellRow) => boolean }[]} */
const kinds = [
  { name: 'all', text: 'all', has: () => true },
  { name: 'asking', text: 'needs a person', has: ({ asksPerson }) => asksPerson },
  {
    name: 'moving',
    text: 'progressing',
    has: ({ canary, tone }) => canary !== undefined || tone === 'Moving',
  },
  { name: 'bad', text: 'degraded', has: ({ tone }) => tone === 'Bad' },
  { name: 'rest', text: 'healthy', has: ({ canary, tone }) => canary === undefined && tone === 'Good' },
];

/**
 * All Cells, what needs a look first.
 * @param {CellsState} state
 * @param {(change: Partial<CellsState>) => void} set
 */
export function cellsView({ rows, filter, show, all, hasRows, policies }, set) {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const kind = kinds.find(({ name }) => name === show) ?? kinds[0];
  const every = [...rows.values()];
  const found = every
    .filter((row) => kind?.has(row) === true && words.every((word) => textOf(row).includes(word)))
    .toSorted((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1));
  const shown = all ? found : found.slice(0, MOST);
  return html` <h1 tabindex="-1">Cells</h1>
    <search class="tools">
      <label for="filter">Filter</label>
      <input
        id="filter"
        type="search"
        autocomplete="off"
        spellcheck="false"
        .value=${filter}
        placeholder="name, version, phase"
        @input=${(/** @type {any} */ event) => set({ filter: event.target.value })}
      />
      <div class="kinds" role="group" aria-label="Which Cells">
        ${kinds.map(
          ({ name, text, has }) =>
            html` <button
              type="button"
              aria-pressed=${name === kind?.name}
              @click=${() => set({ show: name })}
            >
              ${text} <span class="count">${every.filter(has).length}</span>
            </button>`,
        )}
      </div>
    </search>
    ${
      shown.length === 0
        ? html`<p class="calm">
            ${hasRows ? (every.length === 0 ? 'No Cells yet.' : 'No matching Cells.') : 'Loading Cells.'}
          </p>`
        : html`<ul class="cells">
            ${repeat(shown, ({ key }) => key, rowView)}
          </ul>`
    }
    ${
      shown.length < found.length
        ? html`<p>
            <button type="button" @click=${() => set({ all: true })}>
              Show ${found.length - shown.length} more
            </button>
          </p>`
        : nothing
    }
    ${policies === undefined ? nothing : tableSection(policies)}`;
}

/** @param {CellRow} row */
const rank = ({ asksPerson, tone }) => (asksPerson ? 0 : urgency[tone]);

/** @param {CellRow} row */
const textOf = ({ key, phase, stable = '', canary = '', message }) =>
  `${key} ${phase} ${stable} ${canary} ${message}`.toLowerCase();

/** @param {CellRow} row */
const rowView = (row) =>
  html` <li class="cell ${row.tone.toLowerCase()}">
    <a class="name" href="#/cells/${row.namespace}/${row.name}"
      ><span class="calm">${row.namespace}/</span>${row.name}</a
    >
    <span class="phase"
      >${badge(row.tone, row.phase)}${row.step === undefined ? nothing : html` <span class="step">${row.step}</span>`}</span
    >
    ${versionsView(row)}
    <span class="bars">${bar(row.weights)}</span>
    <span class="message">${row.message}</span>
    ${lasting(row.since)}
  </li>`;

/**
 * The clusters, and where their target groups are used.
 * @param {readonly TableView[] | undefined} clusters
 */
export const clustersView = (clusters) =>
  html` <h1 tabindex="-1">Clusters</h1>
    ${
      clusters === undefined
        ? html`<p class="calm">Loading clusters.</p>`
        : clusters.length === 0
          ? html`<p class="calm">No clusters and no target groups yet.</p>`
          : clusters.map((cluster) => tableSection(cluster))
    }`;
