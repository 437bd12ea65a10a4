import { html, nothing } from '/lit-html/lit-html.js';
import { away } from './parts.mjs';

/** @typedef {import('../feeds.ts').Head} Head */
/** @typedef {import('../calls.ts').Me} Me */

/**
 * What stands above every view: where one is, who looks, what holds, and what may be old.
 * @param {{ route: { view: string }, me: Me | undefined, isLive: boolean, head: Head | undefined, trouble: string }} state
 * @param {{ skip: () => void, leave: () => void }} on
 */
export function frameView({ route, me, isLive, head, trouble }, { skip, leave }) {
  const isClusters = route.view === 'clusters';
  const skipping = (/** @type {Event} */ event) => {
    event.preventDefault();
    skip();
  };
  return html`
    <a class="skip" href="#main" @click=${skipping}>To the content</a>
    <header>
      <nav aria-label="Pages">
        <a class="brand" href="#/">Okra</a>
        <a href="#/" aria-current=${isClusters ? nothing : 'page'}>Cells</a>
        <a href="#/clusters" aria-current=${isClusters ? 'page' : nothing}>Clusters</a>
      </nav>
      <p class="who">
        ${me?.by ?? 'read-only'}
        <span class="live ${isLive ? 'is' : 'is-not'}">${isLive ? 'live' : 'not live'}</span>
        ${
          me?.canLogIn === true && me.isIn
            ? html`<button type="button" @click=${leave}>Log out</button>`
            : nothing
        }
      </p>
    </header>
    ${freezesView(head?.freezes ?? [])}
    ${troublesView([...(trouble === '' ? [] : [trouble]), ...(head?.troubles ?? [])])}
  `;
}

/** @param {Head['freezes']} freezes */
const freezesView = (freezes) =>
  freezes.length === 0
    ? nothing
    : html`<aside class="freezes" aria-label="Freezes">
        ${freezes.map(
          ({ name, by, reason, until, namespaces }) => html`
            <p>
              <b>Freeze ${name}</b> by ${by} holds
              ${namespaces === undefined ? 'all namespaces' : `namespace ${namespaces.join(', ')}`}${until === undefined ? '' : html`; ends ${away(until)}`}:
              ${reason}
            </p>
          `,
        )}
      </aside>`;

/** @param {readonly string[]} troubles */
const troublesView = (troubles) =>
  troubles.length === 0
    ? nothing
    : html`<aside class="troubles" role="alert" aria-label="Problems">
        ${troubles.map((text) => html`<p>${text}</p>`)}
      </aside>`;

/**
 * What one sees who has not shown who they are.
 * @param {{ me: Me | undefined, trouble: string }} state
 * @param {(token: string) => void} enter
 */
export function loginView({ me, trouble }, enter) {
  if (me === undefined) return trouble === '' ? html`<p class="calm">Connecting.</p>` : nothing;
  if (!me.canLogIn)
    return html`
      <h1 tabindex="-1">This link is not valid</h1>
      <p>
        Open the address that <code>okractl dashboard</code> printed: it ends in a key that is new at each
        start.
      </p>
    `;
  return html`
    <h1 tabindex="-1">Log in</h1>
    <p>
      Use a token for this cluster, as printed by <code>kubectl create token</code> or your login command. It
      is sent to this server once, and kept in memory until you log out.
    </p>
    <form class="login" @submit=${submitting('token', enter)}>
      <label for="token">Token</label>
      <input id="token" name="token" type="password" autocomplete="off" required />
      <button type="submit" class="usual">Log in</button>
    </form>
  `;
}

/**
 * Takes what was written into a form; nothing is ever submitted by the browser.
 * @param {string} field
 * @param {(text: string) => void} take
 */
export const submitting = (field, take) => (/** @type {any} */ event) => {
  event.preventDefault();
  const text = new FormData(event.target).get(field);
  event.target.reset();
  if (typeof text === 'string') take(text.trim());
};
