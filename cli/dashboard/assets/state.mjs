/** @typedef {import('../rows.ts').CellRow} CellRow */
/** @typedef {import('../feeds.ts').Head} Head */
/** @typedef {import('../calls.ts').Me} Me */

/**
 * @typedef {{ view: 'cells' } | { view: 'clusters' } | { view: 'cell', namespace: string, name: string } | { view: 'policy', name: string }} Route
 */

export const state = {
  route: /** @type {Route} */ ({ view: 'cells' }),
  me: /** @type {Me | undefined} */ (undefined),
  trouble: '',
  isLive: false,
  head: /** @type {Head | undefined} */ (undefined),
  rows: /** @type {Map<string, CellRow>} */ (new Map()),
  hasRows: false,
  cell: /** @type {any} */ (undefined),
  clusters: /** @type {any} */ (undefined),
  filter: '',
  all: false,
  asking: /** @type {import('./cell.mjs').Asking | undefined} */ (undefined),
};

/** @typedef {typeof state} State */

/**
 * Where the address says that one is. Names of Kubernetes need no decoding.
 * @returns {Route}
 */
export function routeNow() {
  const [view, namespace, name] = location.hash.replace(/^#\/?/, '').split('/');
  if (view === 'cells' && namespace !== undefined && name !== undefined)
    return { view: 'cell', namespace, name };
  if (view === 'policies' && namespace !== undefined) return { view: 'policy', name: namespace };
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
  if (event === 'clusters') state.clusters = data;
  if (event === 'cell') {
    const before = state.cell?.row;
    state.cell = data;
    const { row } = data;
    if (row !== undefined && before !== undefined && (before.phase !== row.phase || before.step !== row.step))
      announce(`${row.name}: ${row.phase}${row.step === undefined ? '' : `, ${row.step}`}. ${row.message}`);
  }
}
