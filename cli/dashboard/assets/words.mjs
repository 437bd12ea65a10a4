/** @typedef {import('../../tones.ts').Tone} Tone */
/** @typedef {import('../offers.ts').OfferView} OfferView */

/** @type {readonly (readonly [string, number])[]} */
const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
];

/**
 * Says how long something takes in at most two units, as okractl does.
 * @param {number} milliseconds
 */
export function durationOf(milliseconds) {
  const all = Math.max(0, Math.round(milliseconds / 1000));
  if (all < 120) return `${all}s`;
  const at = UNITS.findIndex(([, seconds]) => all >= seconds);
  let rest = all;
  const parts = UNITS.slice(at, at + 2).flatMap(([unit, seconds]) => {
    const count = Math.floor(rest / seconds);
    rest %= seconds;
    return count === 0 ? [] : [`${count}${unit}`];
  });
  return parts.join(' ');
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
  const isToday = time.toDateString() === new Date().toDateString();
  /** @type {Intl.DateTimeFormatOptions} */
  const day = isToday ? {} : { month: 'short', day: 'numeric' };
  return time.toLocaleString(undefined, {
    ...day,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  });
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
    offers
      .filter((offer) => offer.may === may)
      .map((offer) => wordOf(offer).toLowerCase())
      .join(', ');
  const refused = of('No');
  const unknown = of('Unknown');
  return [
    ...(refused === '' ? [] : [`You do not have permission to ${refused}.`]),
    ...(unknown === ''
      ? []
      : [`Permission to ${unknown} not known yet. It is checked again before anything is sent.`]),
  ];
}

/**
 * The sign of a tone, so that no colour has to be told from another.
 * @type {Readonly<Record<Tone, string>>}
 */
export const signs = { Good: '✓', Moving: '▶', Held: '‖', Bad: '!', Idle: '·' };

/**
 * What comes first in a list: what asks for a person, then what is bad, moves, or is held.
 * @type {Readonly<Record<Tone, number>>}
 */
export const urgency = { Bad: 1, Moving: 2, Held: 3, Idle: 4, Good: 5 };
