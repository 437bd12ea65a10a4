import { html, render } from '/lit-html/lit-html.js';
import { askingView, cellView, titleView } from './cell.mjs';
import { cellsView, clustersView } from './cells.mjs';
import { frameView, loginView } from './frame.mjs';
import { queryOf, routeNow, state, take } from './state.mjs';
import { ask, follow, keepKey, logIn, logOut, takeKey, whoAmI } from './server.mjs';

const root = /** @type {HTMLElement} */ (document.getElementById('page'));
const announced = /** @type {HTMLElement} */ (document.getElementById('announced'));
let following = new AbortController();

/** Follows what is shown now, and nothing else. */
function followRoute() {
  following.abort();
  following = new AbortController();
  if (state.me?.isIn !== true || document.hidden) return;
  const { route } = state;
  let isFirst = true;
  void follow(queryOf(route), {
    signal: following.signal,
    // The login is over, or the key is one of an earlier start.
    strange: () => void begin(),
    live: (is, why) => {
      state.isLive = is;
      state.trouble = is ? '' : (why ?? state.trouble);
      // What was missed meanwhile is told from the beginning.
      if (is && route.view === 'cells') isFirst = true;
      draw();
    },
    told: (event, data) => {
      if (event === 'rows' && isFirst) state.rows = new Map();
      if (event === 'rows') isFirst = false;
      take(event, data, announce);
      draw();
    },
  });
}

/** @param {Partial<import('./state.mjs').State>} by */
function change(by) {
  Object.assign(state, by);
  draw();
}

/** @param {string} text */
const announce = (text) => void (announced.textContent = text);

function draw() {
  render(pageView(), root);
  const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById('asking'));
  if (dialog !== null && state.asking !== undefined && !dialog.open) dialog.showModal();
  if (dialog !== null && state.asking === undefined && dialog.open) dialog.close();
}

const pageView = () => html`
  ${frameView(state, { skip: focusHeading, leave })}
  <main id="main">${state.me?.isIn === true ? contentView() : loginView(state, enter)}</main>
  ${askingView(state.asking, { send, close: closeAsking })}
`;

function contentView() {
  const { route, cell } = state;
  if (route.view === 'clusters') return clustersView(state.clusters);
  if (route.view === 'cells') return cellsView(state, change);
  if (cell === undefined || cell.isDeleted === true)
    return html`${titleView(route)}
      <p>${cell === undefined ? 'Loading.' : 'Not found, or you may not read it.'}</p>`;
  return cellView(cell, {
    width: chartWidth(),
    mayAct: state.me?.mayAct === true,
    ask: (offer) => openAsking(offer, { ...route, seen: cell.seen }),
  });
}

/** The room for the chart: in two columns, the first is 480 wide (page.css). */
function chartWidth() {
  const beside = matchMedia('(min-width: 1200px)').matches ? 496 : 0;
  return Math.max(280, root.clientWidth - beside - 66);
}

/** @param {string} token */
async function enter(token) {
  try {
    await logIn(token);
    await begin();
  } catch (error) {
    state.trouble = error instanceof Error ? error.message : String(error);
    draw();
  }
}

async function leave() {
  try {
    await logOut();
  } finally {
    // Also when the server does not answer: nothing of what they saw is left.
    location.reload();
  }
}

function focusHeading() {
  /** @type {HTMLElement | null} */
  const heading = document.querySelector('main h1');
  heading?.focus();
}

/**
 * @param {import('../cell-page.ts').OfferView} offer
 * @param {{ namespace?: string, name: string, seen: import('../cell-page.ts').CellPage['seen'] }} of
 */
function openAsking(offer, { namespace, name, seen }) {
  // What it is about stays what it was when the person decided, whatever comes while they write why.
  state.asking = { namespace, name, offer, seen, isSent: false, answer: undefined };
  draw();
  document.getElementById('reason')?.focus();
}

/** What was sent is answered in its dialog, which stays until then. */
const isSending = () => state.asking?.isSent === true && state.asking.answer === undefined;

/** @param {Event} event */
function closeAsking(event) {
  if (isSending()) event.preventDefault();
  else state.asking = undefined;
  draw();
}

/** @param {string} reason */
async function send(reason) {
  const { asking } = state;
  if (asking === undefined || asking.isSent) return;
  change({ asking: { ...asking, isSent: true } });
  const { namespace, name, offer, seen } = asking;
  const kind = namespace === undefined ? 'StagedBindingPolicy' : 'Cell';
  const answer = await ask({ kind, namespace, name, request: offer.name, reason, seen });
  change({ asking: { ...asking, isSent: true, answer } });
  document.getElementById('answered')?.focus();
}

const AGAIN_MS = 3000;
const KEEP_MS = 300_000;

/** @param {string} [given] the key that was in the address */
async function begin(given) {
  state.trouble = '';
  try {
    state.me = await whoAmI();
    // Where people log in, a link with a key would have them act in the name of whoever has sent it.
    if (given !== undefined && !state.me.canLogIn) {
      keepKey(given);
      state.me = await whoAmI();
    }
  } catch (error) {
    state.trouble = `The server does not answer: ${error instanceof Error ? error.message : String(error)}`;
    setTimeout(() => void begin(given), AGAIN_MS);
  }
  draw();
  followRoute();
}

addEventListener('hashchange', () => {
  const given = takeKey();
  if (given !== undefined) void begin(given);
  state.route = routeNow();
  state.cell = undefined;
  state.clusters = undefined;
  if (!isSending()) state.asking = undefined;
  draw();
  focusHeading();
  followRoute();
});
// Nobody looks: nothing is followed, and a phone sleeps.
document.addEventListener('visibilitychange', followRoute);
setInterval(() => document.hidden || draw(), 1000);
// Who looks on is not idle.
setInterval(() => document.hidden || void whoAmI().catch(() => undefined), KEEP_MS);

root.replaceChildren();
const inAddress = takeKey();
state.route = routeNow();
void begin(inAddress);
