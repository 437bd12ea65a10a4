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
 * @property {Answer | undefined} answer
 */

/** @typedef {{ ok: boolean, message: string }} Answer */

/**
 * Asks for the reason of a request, and says what came of it. The page behind it cannot be read meanwhile, so that other answers stand in it as well.
 * @param {import('./answers.mjs').Asked} state
 * @param {{ send: (reason: string) => void, close: () => void, closeAnswer: (answer: import('./answers.mjs').Asked['answers'][number]) => void }} on
 */
export function askingView({ asking, answers }, { send, close, closeAnswer }) {
  return html` <dialog id="asking" aria-labelledby="asking-title" @close=${close} @cancel=${close}>
    ${
      asking === undefined
        ? nothing
        : html` ${answersView(answers, closeAnswer)}
            <form @submit=${submitting('reason', send)}>
              <h2 id="asking-title">${wordOf(asking.offer)} ${asking.namespace}/${asking.name}</h2>
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
                        <button type="button" @click=${close}>Cancel</button>
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

/**
 * The answers whose dialogs were closed before they came.
 * @param {import('./answers.mjs').Asked['answers']} answers
 * @param {(answer: import('./answers.mjs').Asked['answers'][number]) => void} close
 */
export const answersView = (answers, close) =>
  html` <div class="answers" role="alert">
    ${answers.map((one) => {
      const { asked, answer } = one;
      const title = `${wordOf(asked.offer)} ${asked.namespace}/${asked.name}`;
      return html` <div class="answer ${answer.ok ? 'good' : 'bad'}">
        <p><b>${title}</b>: ${answer.message}</p>
        <button type="button" aria-label="Close the answer to ${title}" @click=${() => close(one)}>
          Close
        </button>
      </div>`;
    })}
  </div>`;
