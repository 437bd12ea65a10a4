/** @typedef {import('../rows.ts').CellRow} CellRow */
/** @typedef {import('../feeds.ts').Head} Head */
/** @typedef {import('../calls.ts').Me} Me */

/**
 * @typedef {{ view: 'cells' } | { view: 'clusters' } | { view: 'cell', namespace: string, name: string }} Route
 * @typedef {object} State
 * @property {Route} route
 * @property {Me | undefined} me
 * @property {string} trouble
 * @property {boolean} isLive
 * @property {Head | undefined} head
 * @property {Map<string, CellRow>} rows
 * @property {boolean} hasRows
 * @property {any} cell
 * @property {any} clusters
 * @property {import('../view.ts').TableView | undefined} policies
 * @property {string} filter
 * @property {string} show
 * @property {boolean} all
 * @property {import('./cell.mjs').Asking | undefined} asking
 */

/** @type {State} */
export const state = {
  route: { view: 'cells' },
  me: undefined,
  trouble: '',
  isLive: false,
  head: undefined,
  rows: new Map(),
  hasRows: false,
  cell: undefined,
  clusters: undefined,
  policies: undefined,
  filter: '',
  show: 'all',
  all: false,
  asking: undefined,
};

/**
 * Where the address says that one is. Names of Kubernetes need no decoding.
 * @returns {Route}
 */
export function routeNow() {
  const [view, namespace, name] = location.hash.replace(/^#\/?/, '').split('/');
  if (view === 'cells' && namespace !== undefined && name !== undefined)
    return { view: 'cell', namespace, name };
  return { view: view === 'clusters' ? 'clusters' : 'cells' };
}

/**
 * What is asked of the server to show a view.
 * @param {Route} route
 */
export const queryOf = (route) => new URLSearchParams({ ...route }).toString();

/**
 * Takes what the server has told.
 * @param {string} event
 * @param {any} data
 * @param {(text: string) => void} announce
 */
export function take(event, data, announce) {
  if (event === 'head') {
    /** @type {Head} */
    const { freezes } = data;
    if (state.head !== undefined && freezes.length !== state.head.freezes.length)
      announce(
        freezes.length === 0
          ? 'No Freeze holds any more.'
          : `Freeze ${freezes.map(({ name }) => name).join(', ')} holds.`,
      );
    state.head = data;
  }
  if (event === 'rows') {
    for (const row of data.changed) state.rows.set(row.key, row);
    for (const key of data.gone) state.rows.delete(key);
    state.hasRows = true;
  }
  if (event === 'policies') state.policies = data;
  if (event === 'clusters') state.clusters = data;
  if (event === 'cell') {
    const before = state.cell?.row;
    state.cell = data;
    const { row } = data;
    if (row !== undefined && before !== undefined && (before.phase !== row.phase || before.step !== row.step))
      announce(`${row.name}: ${row.phase}${row.step === undefined ? '' : `, ${row.step}`}. ${row.message}`);
  }
}
