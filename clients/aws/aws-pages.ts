import { TOKEN_CHARACTERS } from '../kubernetes/kubernetes-answer.ts';

// What no quota of AWS comes near to: of clusters in a region, of rules of a listener, of target groups by ARN.
const LIMITS = { pages: 1_000, items: 10_000 };

interface AwsList<Item> {
  readonly service: string;
  readonly of: string;
  /** Reads a page; `next` asks for the one after it, undefined or empty after the last. */
  readonly page: (
    next: string | undefined,
  ) => Promise<{ readonly items: readonly Item[]; readonly next: string | undefined }>;
}

/** Reads all pages of a list, within limits: the whole of it, or an error. */
export async function readPages<Item>(
  { service, of, page }: AwsList<Item>,
  { pages, items: most } = LIMITS,
): Promise<Item[]> {
  const refused = (problem: string): Error =>
    new Error(`cannot list ${of} of ${service}: ${problem}. Look at what answers for ${service}.`);
  const asked = new Set<string>();
  const found: Item[] = [];
  for (let next: string | undefined; ;) {
    const { items, next: following = '' } = await page(next);
    if (found.length + items.length > most) throw refused(`more than ${most} entries`);
    for (const item of items) found.push(item);
    if (following === '') return found;
    if (following.length > TOKEN_CHARACTERS)
      throw refused(`a page token of more than ${TOKEN_CHARACTERS} characters`);
    // It would continue in a circle.
    if (asked.has(following)) throw refused('the token of a page that was there before');
    asked.add(following);
    if (asked.size === pages) throw refused(`more than ${pages} pages`);
    next = following;
  }
}
