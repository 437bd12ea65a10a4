import { AWS_LIST, TOKEN_CHARACTERS, type AwsListLimits } from '../kubernetes/limits.ts';

/** A page of a list of AWS. */
export interface AwsPage<Item> {
  readonly items: readonly Item[];
  /** What the next page is asked for with; undefined or empty after the last one. */
  readonly next: string | undefined;
}

/** A list of AWS, as messages speak of it. */
interface AwsList<Item> {
  readonly service: string;
  /** What is listed. */
  readonly of: string;
  readonly page: (next: string | undefined) => Promise<AwsPage<Item>>;
}

/** Reads all pages of a list, within limits: the whole of it, or an error. */
export async function readPages<Item>(
  { service, of, page }: AwsList<Item>,
  { pages, items: most }: AwsListLimits = AWS_LIST,
): Promise<Item[]> {
  const refused = (expected: string, got: string): Error =>
    new Error(
      `Expected ${service} to list ${of} ${expected}, got ${got}. The list counts as not read; look at what answers for ${service}.`,
    );
  const asked = new Set<string>();
  const found: Item[] = [];
  for (let next: string | undefined; ;) {
    const { items, next: following = '' } = await page(next);
    if (found.length + items.length > most) throw refused(`with at most ${most} entries`, 'more');
    for (const item of items) found.push(item);
    if (following === '') return found;
    if (following.length > TOKEN_CHARACTERS)
      throw refused(`with page tokens of at most ${TOKEN_CHARACTERS} characters`, `${following.length}`);
    // It would go on in a circle.
    if (asked.has(following)) throw refused('page by page', 'the token of a page that was there before');
    asked.add(following);
    if (asked.size === pages) throw refused(`on at most ${pages} pages`, 'more');
    next = following;
  }
}
