import { html, nothing } from '/lit-html/lit-html.js';
import { away, badge, section, table } from './parts.mjs';
import { durationOf } from './words.mjs';

/** @typedef {import('../view.ts').CellPage} CellPage */

/**
 * What measures the Cell, with its values against their thresholds.
 * @param {CellPage['verdicts']} verdicts
 * @param {number} now
 */
export const verdictsView = (verdicts, now) =>
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
export const blockedView = ({ blocked, rejected }, now) =>
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
export const approvalView = (approval, now) =>
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
export const requestsView = (requests, now) =>
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
export const historyView = (changes, now) =>
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
        change.requests.length === 0
          ? '–'
          : html`<ul class="plain">
              ${change.requests.map((request) => html`<li>${requestText(request)}</li>`)}
            </ul>`,
        change.message,
      ]),
    ),
  );

/**
 * @param {CellPage['events']} events
 * @param {number} now
 */
export const eventsView = (events, now) =>
  section(
    'Events',
    events.length > 0,
    table(
      'Events',
      ['When', 'Type', 'Reason', 'Message'],
      events.map(({ time, type, reason, note }) => [away(time, now), type, reason, note]),
    ),
  );
