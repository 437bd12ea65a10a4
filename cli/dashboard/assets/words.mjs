/** @typedef {import('../../tones.ts').Tone} Tone */
/** @typedef {import('../cell-page.ts').OfferView} OfferView */

/**
 * Says how long something takes in at most two units, as okractl does.
 * @param {number} milliseconds
 */
export function durationOf(milliseconds) {
  const all = Math.max(0, Math.round(milliseconds / 1000));
  if (all < 120) return `${all}s`;
  const [days, hours, minutes] = [86_400, 3_600, 60].map((unit) => Math.floor(all / unit));
  const parts = [`${days}d`, `${(hours ?? 0) % 24}h`, `${(minutes ?? 0) % 60}m`, `${all % 60}s`];
  const first = parts.findIndex((part) => !part.startsWith('0'));
  return parts
    .slice(first, first + 2)
    .filter((part) => !part.startsWith('0'))
    .join(' ');
}

/**
 * Says how far away a time is: `5m ago`, `in 2h`.
 * @param {string} time
 */
export function awayOf(time) {
  const now = Date.now();
  const at = Date.parse(time);
  if (Number.isNaN(at)) return time;
  return at <= now ? `${durationOf(now - at)} ago` : `in ${durationOf(at - now)}`;
}

/**
 * Says a time of day, with the date where it is of another day.
 * @param {number} at
 */
export function clockOf(at) {
  const time = new Date(at);
  const clock = time.toLocaleTimeString(undefined, { hour12: false });
  if (time.toDateString() === new Date().toDateString()) return clock;
  return `${time.toLocaleDateString(undefined, { month: 'short', day: 'numeric' })}, ${clock}`;
}

/**
 * What a request is called.
 * @param {Pick<OfferView, 'name'>} offer
 */
export const wordOf = ({ name }) =>
  name === 'promoteFull' ? 'Promote fully' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/**
 * Says which requests Kubernetes does not let the person make, and of which it has not said so.
 * @param {readonly Pick<OfferView, 'name' | 'may'>[]} offers
 */
export function rightsOf(offers) {
  const of = (/** @type {OfferView['may']} */ may) =>
    offers.flatMap((offer) => (offer.may === may ? wordOf(offer).toLowerCase() : [])).join(', ');
  const [refused, unknown] = [of('No'), of('Unknown')];
  return [
    refused && `You do not have permission to ${refused}.`,
    unknown && `Permission to ${unknown} not known yet. It is checked again before anything is sent.`,
  ].filter((text) => text !== '');
}

/**
 * The sign of a tone, a path in a box of 12 by 12: no colour has to be told from another, and no font is needed.
 * @type {Readonly<Record<Tone | 'To', string>>}
 */
export const signs = {
  Good: 'M2 6.5l3 3 5-7',
  Moving: 'M3 2l6 4-6 4z',
  Held: 'M4 2v8M8 2v8',
  Bad: 'M6 1.5v5.5M6 9v1.5',
  Idle: 'M6 3.5a2.5 2.5 0 1 0 .01 0z',
  To: 'M1 6h9M6.5 2.5L10 6 6.5 9.5',
};

/**
 * The headings of the list of all, the most urgent first.
 * @type {readonly import('../rows.ts').CellRow['heading'][]}
 */
export const headings = ['Needs a person', 'Degraded', 'Progressing', 'Healthy'];
