import { html, nothing, svg } from '/lit-html/lit-html.js';
import { state } from './state.mjs';
import { awayOf, durationOf, signs } from './words.mjs';

/** @typedef {import('../../tones.ts').Tone} Tone */
/** @typedef {import('../view.ts').TableView} TableView */
/** @typedef {import('../view.ts').TableCell} TableCell */

/** @param {keyof typeof signs} name */
export const sign = (name) =>
  html`<svg class="sign" viewBox="0 0 12 12" aria-hidden="true"><path d=${signs[name]}></path></svg>`;

/** The sign between what was and what is to be. */
const to = html`<span class="unseen">to</span>${sign('To')}`;

/**
 * A word with its sign and colour.
 * @param {Tone} tone
 * @param {string} text
 */
export const badge = (tone, text) =>
  html`<span class="badge ${tone.toLowerCase()}">${sign(tone)} ${text}</span>`;

/**
 * A time, said in some other way.
 * @param {string} time
 * @param {string} text
 */
const timeView = (time, text) =>
  html`<time datetime=${time} title=${new Date(time).toLocaleString()}>${text}</time>`;

/**
 * A time, and how far away it is.
 * @param {string | undefined} time
 */
export const away = (time) => (time === undefined ? nothing : timeView(time, awayOf(time)));

/**
 * For how long something has been so.
 * @param {string | undefined} since
 */
export const lasting = (since) =>
  since === undefined
    ? nothing
    : html`<span class="since">for ${timeView(since, durationOf(Date.now() - Date.parse(since)))}</span>`;

/**
 * The version that serves, and the one that is rolled out.
 * @param {import('../rows.ts').CellRow} row
 */
export const versionsView = ({ namespace, stable = '–', canary }) =>
  namespace === ''
    ? nothing
    : html`<span class="versions"
        >${stable}${canary === undefined ? nothing : html` ${to} <b>${canary}</b>`}</span
      >`;

/**
 * A reason with a link to what the docs say of it, where they are published.
 * @param {string} reason
 * @param {unknown} [text] what stands for it
 */
export function reasonView(reason, text = reason) {
  const docs = state.me?.docsUrl?.replace(/\/$/, '');
  if (docs === undefined || !/^[A-Z][A-Za-z]+$/.test(reason)) return text;
  // The second part finds the word where the page has no such anchor.
  const href = `${docs}/troubleshooting#${reason}:~:text=${reason}`;
  return html`<a href=${href} rel="noreferrer" target="_blank">${text}</a>`;
}

/**
 * A part of the page with its heading; nothing when there is nothing in it.
 * @param {string} title
 * @param {boolean} isThere
 * @param {unknown} content
 */
export const section = (title, isThere, content) =>
  isThere
    ? html`<section aria-label=${title}>
        <h2>${title}</h2>
        ${content}
      </section>`
    : nothing;

/**
 * A table, which can be scrolled by itself where there is no room.
 * @param {string} caption
 * @param {readonly string[]} headings
 * @param {readonly (readonly unknown[])[]} rows
 */
export const table = (caption, headings, rows) =>
  html` <div class="wide" tabindex="0" role="region" aria-label=${caption}>
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first, ...others]) =>
            html`<tr>
              <th scope="row">${first}</th>
              ${others.map((cell, at) => html`<td data-label=${headings[at + 1] ?? ''}>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;

/**
 * A table as the server tells it, in a section of its own.
 * @param {TableView} view
 */
export const tableSection = ({ title, text = '', headings, rows }) =>
  section(
    title,
    text !== '' || rows.length > 0,
    html`${text === '' ? nothing : html`<p>${text}</p>`}
    ${
      rows.length === 0
        ? nothing
        : table(
            title,
            headings,
            rows.map((row) => row.map((cell) => cellOf(cell))),
          )
    }`,
  );

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/;

/**
 * @param {TableCell} cell
 * @returns {unknown}
 */
function cellOf(cell) {
  if (cell === '' || cell === '-') return '–';
  if (typeof cell === 'string') return TIME.test(cell) ? away(cell) : cell;
  if ('list' in cell)
    return html`<ul class="plain">
      ${cell.list.map((one) => html`<li>${cellOf(one)}</li>`)}
    </ul>`;
  const text = cell.tone === undefined ? cell.text : badge(cell.tone, cell.text);
  if (cell.reason !== undefined) return reasonView(cell.reason, text);
  if (cell.href === undefined) return text;
  return cell.href.startsWith('#')
    ? html`<a href=${cell.href}>${text}</a>`
    : html`<a href=${cell.href} rel="noreferrer" target="_blank">${text}</a>`;
}

/** @typedef {{ served: number | undefined, asked: number | undefined }} Weights */

/**
 * What weights add up to; undefined where none is known.
 * @param {readonly Partial<Weights>[]} weights
 * @param {keyof Weights} which
 */
function sumOf(weights, which) {
  const known = weights.flatMap((one) => one[which] ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one);
}

/**
 * What serves, as a bar; what is asked for stands below it where it differs. A StagedBindingPolicy has no weights.
 * @param {Pick<import('../rows.ts').CellRow, 'namespace' | 'weights'>} row
 */
export function bar({ namespace, weights }) {
  if (namespace === '') return nothing;
  const sides = [...Map.groupBy(weights, ({ version, name }) => version || name)].map(([version, all]) => ({
    version,
    served: sumOf(all, 'served'),
    asked: sumOf(all, 'asked'),
  }));
  const said = (/** @type {keyof Weights} */ which) =>
    sides.flatMap((side) => (side[which] === undefined ? [] : `${side.version} ${side[which]}`)).join(', ');
  if (said('served') === '') return html`<span class="calm">no traffic yet</span>`;
  const differs = weights.some(({ asked, served = 0 }) => asked !== undefined && asked !== served);
  return html` <svg
      class=${differs ? 'bar differs' : 'bar'}
      viewBox="0 0 100 ${differs ? 16 : 10}"
      preserveAspectRatio="none"
      role="img"
      aria-label=${differs ? `Observed: ${said('served')}. Desired: ${said('asked')}.` : `Observed: ${said('served')}.`}
    >
      ${parts(sides, 'served', 0, 10)} ${differs ? parts(sides, 'asked', 12, 4) : nothing}
    </svg>
    <span class="weights" aria-hidden="true">
      ${sides.map(
        ({ version, served = 0, asked = 0 }, at) =>
          html`<span class="key s${at % 5}">
            ${version} <b>${served}</b>${differs && asked !== served ? html` ${to} ${asked}` : nothing}
          </span> `,
      )}
    </span>`;
}

/**
 * @param {readonly Weights[]} sides
 * @param {keyof Weights} which
 * @param {number} y
 * @param {number} height
 */
function parts(sides, which, y, height) {
  const total = Math.max(1, sumOf(sides, which) ?? 0);
  let x = 0;
  return sides.map((side, at) => {
    const width = ((side[which] ?? 0) / total) * 100;
    x += width;
    return svg`<rect class="s${at % 5}" x=${x - width} y=${y} width=${width} height=${height}></rect>`;
  });
}
