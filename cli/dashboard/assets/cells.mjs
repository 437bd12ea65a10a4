import { html, nothing } from '/lit-html/lit-html.js';
import { repeat } from '/lit-html/directives/repeat.js';
import { badge, bar, lasting, tableSection, versionsView } from './parts.mjs';
import { headings } from './words.mjs';

/** @typedef {import('../rows.ts').CellRow} CellRow */
/** @typedef {import('../view.ts').TableView} TableView */

/** What is drawn at once; thousands of rows are found by the filter. */
const MOST = 200;

/** @typedef {Pick<import('./state.mjs').State, 'rows' | 'hasRows' | 'filter' | 'all'>} CellsState */

/**
 * All Cells and StagedBindingPolicies, what needs a look first.
 * @param {CellsState} state
 * @param {(change: Partial<CellsState>) => void} set
 */
export function cellsView({ rows, filter, all, hasRows }, set) {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const every = [...rows.values()];
  const found = every
    .filter((row) => words.every((word) => textOf(row).includes(word)))
    .toSorted(
      (a, b) => headings.indexOf(a.heading) - headings.indexOf(b.heading) || (a.key < b.key ? -1 : 1),
    );
  const shown = all ? found : found.slice(0, MOST);
  const below = Map.groupBy(shown, ({ heading }) => heading);
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
    </search>
    ${
      shown.length === 0
        ? html`<p class="calm">
            ${hasRows ? (every.length === 0 ? 'No Cells yet.' : 'No matching Cells.') : 'Loading Cells.'}
          </p>`
        : headings
            .filter((heading) => below.has(heading))
            .map(
              (heading) =>
                html`<h2>
                    ${heading}
                    <span class="count">${found.filter((row) => row.heading === heading).length}</span>
                  </h2>
                  <ul class="cells" aria-label=${heading}>
                    ${repeat(below.get(heading) ?? [], ({ key }) => key, rowView)}
                  </ul>`,
            )
    }
    ${
      shown.length < found.length
        ? html`<p>
            <button type="button" @click=${() => set({ all: true })}>
              Show ${found.length - shown.length} more
            </button>
          </p>`
        : nothing
    }`;
}

/** @param {CellRow} row */
const textOf = ({ key, heading, phase, stable = '', canary = '', message }) =>
  `${key} ${heading} ${phase} ${stable} ${canary} ${message}`.toLowerCase();

/** @param {CellRow} row */
const rowView = (row) =>
  html` <li class="cell ${row.tone.toLowerCase()}">
    <a class="name" href=${row.namespace === '' ? `#/policies/${row.name}` : `#/cells/${row.key}`}
      ><span class="calm">${row.namespace === '' ? 'sbp' : row.namespace}/</span>${row.name}</a
    >
    <span class="phase"
      >${badge(row.tone, row.phase)}${row.step === undefined ? nothing : html` <span class="step">${row.step}</span>`}</span
    >
    ${versionsView(row)}
    <span class="bars">${bar(row)}</span>
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
