import { html, nothing } from '/lit-html/lit-html.js';
import { repeat } from '/lit-html/directives/repeat.js';
import { healthView, table } from './parts.mjs';

/** @typedef {import('../view.ts').ClusterView} ClusterView */
/** @typedef {import('../view.ts').UsedGroup} UsedGroup */

/**
 * The clusters, and where their target groups are used.
 * @param {readonly ClusterView[] | undefined} clusters
 */
export const clustersView = (clusters) =>
  html` <h1 tabindex="-1">Clusters</h1>
    ${
      clusters === undefined
        ? html`<p class="calm">Loading clusters.</p>`
        : clusters.length === 0
          ? html`<p class="calm">No clusters and no target groups yet.</p>`
          : repeat(clusters, ({ name }) => name, clusterView)
    }`;

/** @param {ClusterView} cluster */
const clusterView = ({ name, sets, groups }) =>
  html` <section aria-label=${name}>
    <h2>${name}</h2>
    ${sets.length === 0 ? nothing : html`<p class="calm">found by ClusterSet ${sets.join(', ')}</p>`}
    ${
      groups.length === 0
        ? html`<p class="calm">No target groups.</p>`
        : table(
            `Target groups of ${name}`,
            ['Target group', 'Version', 'Weight', 'Health'],
            groups.map(rowOf),
          )
    }
  </section>`;

/** @param {UsedGroup} group */
const rowOf = ({ name, version, users, health }) => [
  name,
  version || '–',
  users.length === 0
    ? html`<span class="calm">in no rule</span>`
    : html`<ul class="plain">
        ${users.map(({ key, role, weight }) => html`<li><b>${weight}</b> in <a href="#/cells/${key}">${key}</a> (${role})</li>`)}
      </ul>`,
  healthView(health),
];
