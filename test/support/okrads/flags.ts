/** What Node is told for an okrad of tests: to look for garbage less often takes memory, and saves time. */
export const rarelyCollected = ['--min-semi-space-size=32', '--max-semi-space-size=64'];
