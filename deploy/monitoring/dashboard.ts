import { panels } from './panels.ts';

const datasource = { type: 'prometheus', uid: '${datasource}' };
const COLUMNS = 24;
const HEIGHT = 8;

/** The dashboard as Grafana imports it. */
export function dashboard(): object {
  let [x, y] = [0, 0];
  const placed = panels.map(({ title, about, type, unit = 'short', width, queries }, index) => {
    if (x + width > COLUMNS) [x, y] = [0, y + HEIGHT];
    const gridPos = { x, y, w: width, h: HEIGHT };
    x += width;
    return {
      id: index + 1,
      title,
      description: about,
      type,
      datasource,
      gridPos,
      fieldConfig: { defaults: { unit, ...(unit === 'percent' ? { min: 0, max: 100 } : {}) }, overrides: [] },
      targets: queries.map(({ expr, legend }, at) => ({
        refId: String.fromCharCode('A'.charCodeAt(0) + at),
        datasource,
        expr,
        legendFormat: legend,
        ...(type === 'timeseries' ? {} : { instant: true, ...(type === 'table' ? { format: 'table' } : {}) }),
      })),
      ...(type === 'table'
        ? { transformations: [{ id: 'organize', options: { excludeByName: { Time: true } } }] }
        : {}),
    };
  });
  const choice = { refresh: 2, hide: 0, includeAll: true, multi: true, allValue: '.*' };
  return {
    uid: 'okra',
    title: 'Okra',
    tags: ['okra'],
    schemaVersion: 39,
    timezone: 'browser',
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        {
          name: 'namespace',
          label: 'Namespace',
          type: 'query',
          datasource,
          query: 'label_values(okra_cells, namespace)',
          ...choice,
        },
      ],
    },
    panels: placed,
  };
}
