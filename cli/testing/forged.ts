/** What a text may say besides, so that a terminal does something, or a line is taken for one of okractl's own. */
export const HOSTILE =
  ' eve\u001B[2J\u001B]52;c;b3duZWQ=\u0007\r\n  forged: Completed\n\nforged: 1.0.0\u009B2J\u202E';

/** The same value once for each text in it, with this one hostile. */
export function* eachForged(value: unknown): Generator {
  if (typeof value === 'string') yield value + HOSTILE;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value))
    for (const forged of eachForged(part))
      yield Array.isArray(value) ? value.with(Number(key), forged) : { ...value, [key]: forged };
}

/** The same objects once for each text in them, with this one hostile; of which kind an object is the API server knows. */
export const worldsOf = <Value extends { readonly apiVersion: string; readonly kind: string }>(
  objects: readonly Value[],
): readonly (readonly Value[])[] =>
  objects.flatMap((object, at) => {
    const { apiVersion, kind } = object;
    const { apiVersion: _version, kind: _kind, ...said } = object;
    return [...eachForged(said)].map((forged) =>
      objects.with(at, { apiVersion, kind, ...(forged as object) } as Value),
    );
  });

/** The lines that such a text has begun. */
export const forgedIn = (text: string): readonly string[] =>
  text.split(/[\r\n]/).filter((line) => /^[\s│├└─!?▶✓-]*forged/.test(line));
