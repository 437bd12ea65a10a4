import { html, nothing } from '/lit-html/lit-html.js';
import { chartView } from './chart.mjs';
import { away, badge, bar, lasting, reasonView, section, tableSection, versionsView } from './parts.mjs';
import { submitting } from './frame.mjs';
import { rightsOf, wordOf } from './words.mjs';

/** @typedef {import('../cell-page.ts').CellPage} CellPage */
/** @typedef {import('../cell-page.ts').OfferView} OfferView */

/**
 * One Cell, or one StagedBindingPolicy, with all that is known of it.
 * @param {CellPage} page
 * @param {{ width: number, mayAct: boolean, ask: (offer: OfferView) => void }} on
 */
export function cellView(page, { width, mayAct, ask }) {
  const { row, chart } = page;
  return html` ${titleView(row)}
    <div class="columns">
      <div>
        <div class="state ${row.tone.toLowerCase()}">
          <p class="headline">
            ${badge(row.tone, row.phase)} ${versionsView(row)}
            ${row.step === undefined ? nothing : html`<span class="step">${row.step}</span>`}
            ${lasting(row.since)}
          </p>
          <p class="says">${row.message}</p>
          ${page.reasons.length === 0 ? nothing : html`<p class="calm">Reason: ${page.reasons.map((reason, at) => html`${at === 0 ? '' : ', '}${reasonView(reason)}`)}</p>`}
          ${page.next === undefined ? nothing : html`<p class="calm">Next: ${page.next}</p>`}
          <div class="bars">${bar(row)}</div>
          ${offersView(page.offers, mayAct, ask)}
        </div>
        ${section(chart === undefined ? 'Stages' : 'Steps', page.steps.length > 0, stepsView(page.steps))}
        ${page.beside.map((view) => tableSection(view))}
      </div>
      <div>
        ${
          chart === undefined
            ? nothing
            : section('Timeline', chart.series.length + chart.marks.length > 0, chartView(chart, { width }))
        }
        ${page.tables.map((view) => tableSection(view))}
      </div>
    </div>`;
}

/**
 * Where one is, and the way back.
 * @param {{ namespace?: string, name: string }} of
 */
export const titleView = ({ namespace = '', name }) =>
  html`<div class="title">
    <a href="#/">Cells</a>
    <h1 tabindex="-1"><span class="calm">${namespace === '' ? 'sbp' : namespace}/</span>${name}</h1>
  </div>`;

/**
 * @param {readonly OfferView[]} offers
 * @param {boolean} mayAct
 * @param {(offer: OfferView) => void} ask
 */
function offersView(offers, mayAct, ask) {
  if (offers.length === 0) return nothing;
  const notes = mayAct ? rightsOf(offers) : ['Read-only: log in to send requests.'];
  return html` <div class="offers" role="group" aria-label="Requests">
      ${offers.map(
        (offer) =>
          html` <button
            type="button"
            class=${isGrave(offer) ? 'grave' : 'usual'}
            ?disabled=${offer.may === 'No'}
            title=${offer.does}
            @click=${() => ask(offer)}
          >
            ${wordOf(offer)}…
          </button>`,
      )}
    </div>
    ${notes.map((note) => html`<p class="calm">${note}</p>`)}`;
}

/** @param {Pick<OfferView, 'name'>} offer */
const isGrave = ({ name }) => name === 'abort';

/** @type {Readonly<Record<CellPage['steps'][number]['stands'], readonly [import('../../tones.ts').Tone, string] | undefined>>} */
const stands = {
  Done: ['Good', 'done'],
  Current: ['Moving', 'now'],
  Failed: ['Bad', 'failed'],
  Ahead: undefined,
};

/** @param {CellPage['steps']} steps */
const stepsView = (steps) =>
  html`<ol class="steps">
    ${steps.map((step) => {
      const [tone, word] = stands[step.stands] ?? [];
      return html`
        <li class=${step.stands.toLowerCase()} aria-current=${step.stands === 'Current' ? 'step' : nothing}>
          ${step.text} ${tone === undefined ? nothing : badge(tone, word ?? '')} ${lasting(step.since)}
          ${step.endsAt === undefined ? nothing : html`<span class="since">ends ${away(step.endsAt)}</span>`}
        </li>
      `;
    })}
  </ol>`;

/**
 * @typedef {object} Asking
 * @property {string | undefined} namespace of a StagedBindingPolicy none
 * @property {string} name
 * @property {OfferView} offer
 * @property {import('../cell-page.ts').CellPage['seen']} seen
 * @property {boolean} isSent
 * @property {Answer | undefined} answer
 */

/** @typedef {{ ok: boolean, message: string }} Answer */

/**
 * Asks for the reason of a request, and says what came of it.
 * @param {Asking | undefined} asking
 * @param {{ send: (reason: string) => void, close: (event: Event) => void }} on
 */
export function askingView(asking, { send, close }) {
  return html` <dialog id="asking" aria-labelledby="asking-title" @close=${close} @cancel=${close}>
    ${
      asking === undefined
        ? nothing
        : html`<form @submit=${submitting('reason', send)}>
            <h2 id="asking-title">${wordOf(asking.offer)} ${asking.namespace ?? 'sbp'}/${asking.name}</h2>
            <p>${asking.offer.does}</p>
            ${
              asking.answer === undefined
                ? html` <label for="reason">Reason (optional)</label>
                    <input
                      id="reason"
                      name="reason"
                      maxlength="1024"
                      autocomplete="off"
                      placeholder="shown in the history"
                    />
                    <p class="buttons">
                      <button type="button" ?disabled=${asking.isSent} @click=${close}>Cancel</button>
                      <button
                        type="submit"
                        class=${isGrave(asking.offer) ? 'grave' : 'usual'}
                        ?disabled=${asking.isSent}
                      >
                        ${asking.isSent ? 'Sending' : wordOf(asking.offer)}
                      </button>
                    </p>`
                : html` <p class="answer ${asking.answer.ok ? 'good' : 'bad'}" role="alert">
                      ${asking.answer.message}
                    </p>
                    <p class="buttons">
                      <button type="button" id="answered" @click=${close}>Close</button>
                    </p>`
            }
          </form>`
    }
  </dialog>`;
}
