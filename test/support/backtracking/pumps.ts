// One part of a regular expression: what is escaped, a class, the beginning of a group, a count, or a character.
const PART =
  /\\[pP]\{[^}]*\}|\\k<[^>]*>|\\u\{[^}]*\}|\\[^]|\[(?:\\[^]|[^\]\\])*\]|\(\?(?:<[=!]|<\w+>|[:=!])|\{\d+(?:,\d*)?\}|[^]/g;

/** The characters that are tried, besides those that stand in the expression itself. */
const ORDINARY = ['a', '0', 'A', '-', ' ', '.'];
const MOST_CHARACTERS = 14;

interface Example {
  /** Texts that lead to where something is repeated, and one that leads through the whole. */
  readonly prefixes: readonly string[];
  readonly characters: readonly string[];
  /** Texts that some part does not continue with. */
  readonly ends: readonly string[];
}

/** Follows an expression from left to right, and notes with what it can be fed. */
function exampleOf({ source, flags }: RegExp): Example {
  const parts = source.match(PART) ?? [];
  const plain = flags.replace(/[gy]/g, '');
  const written = parts.flatMap((part) => part.replace(/\\[a-zA-Z]|\(\?.*/g, '').split(''));
  const pool = [...new Set([...written.filter((char) => !/[*+?|()^$]/.test(char)), ...ORDINARY])];
  const prefixes = new Set(['']);
  const groups: string[] = [];
  const used = new Set<string>();
  let prefix = '';
  let last = '';
  for (const part of parts) {
    if (part === ')') groups.pop();
    else if (part === '|') prefix = groups.at(-1) ?? '';
    else if (part.startsWith('(')) groups.push(prefix);
    else if (/^([*+]|\{\d+,\}|\{\d+,\d{2,}\})$/.test(part)) prefixes.add(prefix);
    else if (part.startsWith('{')) prefix += last.repeat(Math.max(0, Number.parseInt(part.slice(1), 10) - 1));
    else if (!/^([?^$]|\\[bB])$/.test(part)) {
      const fitting = pool.filter((char) => new RegExp(`^(?:${part})$`, plain).test(char));
      last = fitting[0] ?? '';
      for (const char of fitting.slice(0, 3)) used.add(char);
      prefix += last;
    }
  }
  prefixes.add(prefix);
  const excluded = parts.flatMap((part) =>
    part.startsWith('[^') ? [part.replace(/^\[\^(\\(?=\W))?/, '')] : [],
  );
  const ends = new Set(['\n\0', 'a', ...excluded.map((text) => text.charAt(0))]);
  return {
    ends: [...ends].slice(0, 4),
    prefixes: [...prefixes],
    characters: [...used, ...ORDINARY].slice(0, MOST_CHARACTERS),
  };
}

/** What is repeated, after what, and before what. */
type Pump = readonly [prefix: string, repeated: string, suffix: string];

function pumpsOf(expression: RegExp): readonly Pump[] {
  const { prefixes, characters, ends } = exampleOf(expression);
  const pairs = characters.slice(0, 8).flatMap((a, _, all) => all.filter((b) => b !== a).map((b) => a + b));
  const long = prefixes.filter((prefix) => prefix.length > 1);
  // Not at the beginning, another way may fit.
  const before = ['', '\0', ...prefixes.slice(-4)];
  return [
    ...characters.flatMap((text) => pumped(before, text, [...ends, ''])),
    ...[...long, ...pairs].flatMap((text) => pumped(['', '\0'], text, ['\n\0'])),
  ];
}

const pumped = (prefixes: readonly string[], text: string, ends: readonly string[]): readonly Pump[] =>
  prefixes.flatMap((prefix) => ends.map((end): Pump => [prefix, text, end]));

/** What doubles with each character is found by short texts, before a long one would take for ever. */
const LENGTHS = [10, 14, 18, 22, 26, 10_000];

// What is linear takes a hundredth of it, and what is not several times as long.
const LIMIT_MILLISECONDS = 10;

/** A text that an expression takes too long for; undefined when there is none among those that are tried. */
export function slowTextFor(expression: RegExp): string | undefined {
  const pumps = pumpsOf(expression);
  for (const length of LENGTHS)
    for (const [prefix, repeated, suffix] of pumps) {
      const text = `${prefix}${repeated.repeat(Math.ceil(length / repeated.length))}${suffix}`;
      if (isSlow(expression, text))
        return `${JSON.stringify(prefix)} + ${JSON.stringify(repeated)} × ${length} + ${JSON.stringify(suffix)}`;
    }
  return undefined;
}

// The time of this thread alone, and the better of two, since the first compiles: a busy machine makes nothing slow.
const isSlow = (expression: RegExp, text: string): boolean =>
  millisecondsFor(expression, text) > LIMIT_MILLISECONDS &&
  millisecondsFor(expression, text) > LIMIT_MILLISECONDS;

function millisecondsFor(expression: RegExp, text: string): number {
  expression.lastIndex = 0;
  const before = process.threadCpuUsage();
  expression.test(text);
  const { user, system } = process.threadCpuUsage();
  return (user - before.user + system - before.system) / 1_000;
}
