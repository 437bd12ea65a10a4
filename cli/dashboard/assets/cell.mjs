import { html, nothing } from '/lit-html/lit-html.js';
import { chartView } from './chart.mjs';
import { away, badge, bar, healthView, lasting, section, table } from './parts.mjs';
import { submitting } from './frame.mjs';
import { durationOf, rightsOf, wordOf } from './words.mjs';

/** @typedef {import('../view.ts').CellPage} CellPage */
/** @typedef {import('../view.ts').OfferView} OfferView */

/**
 * One Cell with all that is known of it.
 * @param {CellPage} page
 * @param {{ now: number, width: number, mayAct: boolean, ask: (offer: OfferView) => void }} on
 */
export function cellView(page, { now, width, mayAct, ask }) {
  const { row, chart } = page;
  return html` <p><a href="#/">← all Cells</a></p>
    <h1 tabindex="-1"><span class="calm">${row.namespace}/</span>${row.name}</h1>
    <div class="state ${row.tone.toLowerCase()}">
      <p class="headline">
        ${badge(row.tone, row.phase)}
        <span class="versions"
          >${row.stable ?? '–'}${row.canary === undefined ? nothing : html` <span aria-label="to">→</span> <b>${row.canary}</b>`}</span
        >
        ${row.step === undefined ? nothing : html`<span class="step">${row.step}</span>`}
        ${lasting(row.since, now)}
      </p>
      <p class="says">${row.message}</p>
      ${page.next === undefined ? nothing : html`<p class="calm">Next: ${page.next}</p>`}
      <div class="bars">${bar(row.weights)}</div>
      ${offersView(page.offers, mayAct, ask)}
    </div>
    ${section('Weights over time', chart.series.length > 0, chartView(chart, { now, width }))}
    ${section('Target groups', page.groups.length > 0, table('Target groups', ['Target group', 'Version', 'Role', 'Desired', 'Observed', 'Health', 'Note'], page.groups.map(groupRow)))}
    ${section('Steps', page.steps.length > 0, stepsView(page.steps, now))}
    ${section('Gates', true, gatesView(page.gates, now))} ${verdictsView(page.verdicts, now)}
    ${approvalView(page.approval, now)}
    ${section(
      'Applications',
      page.applications.length > 0,
      table(
        'Applications',
        ['Application', 'Phase', 'Checks', 'Message'],
        page.applications.map(({ name, phase, tone, checks, message, child }) => [
          name,
          badge(tone, phase),
          checks,
          html`${message}${child === undefined ? nothing : html` <a href="#/cells/${row.namespace}/${child}">weights: Cell ${child}</a>`}`,
        ]),
      ),
    )}
    ${section(
      'Clusters',
      page.clusters.length > 0,
      table(
        'Clusters',
        ['Cluster', 'Ready', 'Since', 'Message'],
        page.clusters.map(({ name, ready, since, message }) => [
          name,
          badge(ready ? 'Good' : 'Bad', ready ? 'ready' : 'not ready'),
          away(since, now),
          message,
        ]),
      ),
    )}
    ${blockedView(page, now)} ${requestsView(page.requests, now)} ${historyView(page.history, now)}
    ${eventsView(page.events, now)} ${section('Details', true, factsView(page, now))}`;
}

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
const isGrave = ({ name }) => name === 'abort' || name === 'promoteFull';

/** @param {CellPage['groups'][number]} group */
const groupRow = ({ name, version, role, asked, served, health, note }) => [
  name,
  version || '–',
  role || '–',
  asked ?? '–',
  served ?? '–',
  healthView(health),
  note || '–',
];

/**
 * @param {CellPage['steps']} steps
 * @param {number} now
 */
const stepsView = (steps, now) =>
  html`<ol class="steps">
    ${steps.map(
      ({ text, stands, since, endsAt }) => html`
        <li class=${stands.toLowerCase()} aria-current=${stands === 'Current' ? 'step' : nothing}>
          ${text}
          ${
            stands === 'Ahead'
              ? nothing
              : html`<span class="calm">(${stands === 'Done' ? 'done' : 'now'})</span>`
          }
          ${lasting(since, now)}
          ${endsAt === undefined ? nothing : html`<span class="since">ends ${away(endsAt, now)}</span>`}
        </li>
      `,
    )}
  </ol>`;

/**
 * @param {CellPage['gates']} gates
 * @param {number} now
 */
const gatesView = (gates, now) =>
  html` <dl class="gates">
    ${gates.map(
      ({ name, holds, text, until }) =>
        html` <div>
          <dt>${badge(holds ? 'Held' : 'Idle', name)}</dt>
          <dd>
            ${text}${until === undefined ? nothing : html` ${until === undefined ? nothing : away(until, now)}`}
          </dd>
        </div>`,
    )}
  </dl>`;

/**
 * @param {CellPage} page
 * @param {number} now
 */
const factsView = ({ facts, url }, now) =>
  html` <dl class="facts">
    ${facts.map(
      ({ name, text, time }) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${text} ${away(time, now)}</dd>
        </div>`,
    )}
    ${
      url === undefined
        ? nothing
        : html`<div>
            <dt>Workflow</dt>
            <dd><a href=${url} rel="noreferrer" target="_blank">open in the Temporal Web UI</a></dd>
          </div>`
    }
  </dl>`;

/**
 * What measures the Cell, with its values against their thresholds.
 * @param {CellPage['verdicts']} verdicts
 * @param {number} now
 */
const verdictsView = (verdicts, now) =>
  section(
    'Analyses',
    verdicts.length > 0,
    verdicts.map(
      ({ kind, name, phase, tone, message, metrics }) =>
        html` <h3>${kind} <code>${name}</code> ${badge(tone, phase)}</h3>
          ${message === '' ? nothing : html`<p>${message}</p>`}
          ${
            metrics.length === 0
              ? nothing
              : table(
                  `Values of ${name}`,
                  ['Metric', 'Value', 'Threshold', 'Result', 'When'],
                  metrics.map((metric) => [
                    metric.name,
                    html`<b>${metric.value || '–'}</b>`,
                    metric.threshold || '–',
                    badge(metric.tone, metric.phase),
                    metric.time === undefined ? '–' : away(metric.time, now),
                  ]),
                )
          }`,
    ),
  );

/**
 * @param {CellPage} page
 * @param {number} now
 */
const blockedView = ({ blocked, rejected }, now) =>
  html` ${section(
    'Blocked versions',
    blocked.length > 0,
    table(
      'Blocked versions',
      ['Version', 'Since', 'Cause'],
      blocked.map(({ version, time, cause }) => [version, away(time, now), cause]),
    ),
  )}
  ${section(
    'Rejected target groups',
    rejected.length > 0,
    html`<ul>
      ${rejected.map((message) => html`<li>${message}</li>`)}
    </ul>`,
  )}`;

/**
 * @param {CellPage['approval']} approval
 * @param {number} now
 */
const approvalView = (approval, now) =>
  approval === undefined
    ? nothing
    : section(
        'Approvals',
        true,
        html`
          <p>${approval.text}</p>
          ${approval.message === undefined ? nothing : html`<p>${approval.message}</p>`}
          ${
            approval.approvals.length === 0
              ? nothing
              : table(
                  'Approved by',
                  ['By', 'When', 'Reason'],
                  approval.approvals.map(({ by, time, reason }) => [by, away(time, now), reason || '–']),
                )
          }
        `,
      );

/** @param {{ action: string, by: string, reason: string }} request */
const requestText = ({ action, by, reason }) => `${action} by ${by}${reason === '' ? '' : `: ${reason}`}`;

/**
 * @param {CellPage['requests']} requests
 * @param {number} now
 */
const requestsView = (requests, now) =>
  section(
    'Requests',
    requests.length > 0,
    table(
      'Requests',
      ['When', 'Request', 'By', 'Reason'],
      requests.map(({ time, action, by, reason }) => [away(time, now), action, by, reason || '–']),
    ),
  );

/**
 * @param {CellPage['history']} changes
 * @param {number} now
 */
const historyView = (changes, now) =>
  section(
    'History',
    changes.length > 0,
    table(
      'History',
      ['Ended', 'Took', 'From', 'Version', 'Outcome', 'Requests', 'Message'],
      changes.map((change) => [
        away(change.endedAt, now),
        durationOf(Date.parse(change.endedAt) - Date.parse(change.startedAt)),
        change.from ?? '–',
        change.version,
        badge(change.tone, change.outcome),
        (change.requests ?? []).length === 0
          ? '–'
          : html`<ul class="plain">
              ${(change.requests ?? []).map((request) => html`<li>${requestText(request)}</li>`)}
            </ul>`,
        change.message,
      ]),
    ),
  );

/**
 * @param {CellPage['events']} events
 * @param {number} now
 */
const eventsView = (events, now) =>
  section(
    'Events',
    events.length > 0,
    table(
      'Events',
      ['When', 'Type', 'Reason', 'Message'],
      events.map(({ time, type, reason, note }) => [away(time, now), type, reason, note]),
    ),
  );

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
