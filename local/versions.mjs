/**
 * Finds the first version number in what a tool printed.
 * @param {string} text
 * @returns {string | undefined}
 */
export function readVersion(text) {
  return /(?<![\d.])\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)[.\d]*)?/.exec(text)?.[0];
}

/** @param {string} version */
const numbers = (version) => version.split(/[.-]/, 3).map(Number);

/**
 * Tells whether `got` is not below `lowest`.
 * @param {string} got
 * @param {string} lowest
 */
export function isAtLeast(got, lowest) {
  const [left, right] = [numbers(got), numbers(lowest)];
  for (let index = 0; index < 3; index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/**
 * Says why an installed version does not do in place of the pinned one; `undefined` means that it does.
 * @param {import('./go-tools.mjs').GoTool['fit']} fit
 * @param {string} pinned
 * @param {string | undefined} got
 * @returns {string | undefined}
 */
export function misfit(fit, pinned, got) {
  if (got === undefined) return 'reports no version';
  const [major = 0, minor = 0] = numbers(pinned);
  const [gotMajor = 0, gotMinor = 0] = numbers(got);
  if (/-(alpha|beta|rc)/.test(got)) return `is the pre-release ${got}, wanted a release of ${major}.${minor}`;
  if (fit === 'exact') return got === pinned ? undefined : `is ${got}, wanted ${pinned}`;
  const distance = gotMajor === major ? Math.abs(gotMinor - minor) : Infinity;
  if (fit === 'same-minor') return distance === 0 ? undefined : `is ${got}, wanted ${major}.${minor}.x`;
  return distance <= 1 ? undefined : `is ${got}, wanted ${major}.${minor - 1}.x to ${major}.${minor + 1}.x`;
}
