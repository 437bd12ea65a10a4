import { html, nothing } from '/lit-html/lit-html.js';
import { isGrave } from './cell.mjs';
import { submitting } from './frame.mjs';
import { wordOf } from './words.mjs';

/** @typedef {import('../view.ts').OfferView} OfferView */

/**
 * @typedef {object} Asking
 * @property {string} namespace
 * @property {string} name
 * @property {OfferView} offer
 * @property {import('../view.ts').CellPage['seen']} seen
 * @property {boolean} isSent
 * @property {{ ok: boolean, message: string } | undefined} answer
 */

/**
 * Asks for the reason of a request, and says what came of it.
 * @param {Asking | undefined} asking
 * @param {{ send: (reason: string) => void, close: () => void }} on
 */
export function askingView(asking, { send, close }) {
  return html` <dialog id="asking" aria-labelledby="asking-title" @close=${close} @cancel=${close}>
    ${
      asking === undefined
        ? nothing
        : html` <form @submit=${submitting('reason', send)}>
            <h2 id="asking-title">${wordOf(asking.offer)} ${asking.namespace}/${asking.name}</h2>
            <p>${asking.offer.does}</p>
            ${
              asking.answer === undefined
                ? html` <label for="reason">Reason</label>
                    <input
                      id="reason"
                      name="reason"
                      maxlength="1024"
                      autocomplete="off"
                      placeholder="why, for the history and for all others who look"
                    />
                    <p class="buttons">
                      <button type="button" @click=${close}>Cancel</button>
                      <button
                        type="submit"
                        class=${isGrave(asking.offer) ? 'grave' : 'usual'}
                        ?disabled=${asking.isSent}
                      >
                        ${asking.isSent ? 'Asking' : wordOf(asking.offer)}
                      </button>
                    </p>`
                : html` <p class="answer ${asking.answer.ok ? 'good' : 'bad'}" role="alert">
                      ${asking.answer.message}
                    </p>
                    <p class="buttons"><button type="button" id="answered" @click=${close}>Close</button></p>`
            }
          </form>`
    }
  </dialog>`;
}
