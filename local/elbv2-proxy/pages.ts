import { type Fields, text } from './protocol/fields.ts';

/** A page of a list, and the marker of the next one. */
export type Page =
  { readonly items: readonly Fields[]; readonly nextMarker?: string } | { readonly badMarker: string };

/** What is asked of a list. */
export interface PageRequest {
  readonly action: string;
  readonly parameters: Fields;
  /** The largest page that the proxy gives, whatever the caller asks for. */
  readonly pageSize: number;
  /** How many pages of a list are that small; after them the rest comes at once. */
  readonly smallPages: number;
}

/** The largest page of ELBv2. */
const LARGEST = 400;

const arnNames: Readonly<Record<string, string>> = {
  DescribeRules: 'RuleArn',
  DescribeListeners: 'ListenerArn',
  DescribeTargetGroups: 'TargetGroupArn',
  DescribeLoadBalancers: 'LoadBalancerArn',
};

/** Tells whether an action answers in pages. */
export const isPaged = (action: string): boolean => arnNames[action] !== undefined;

interface Position {
  readonly action: string;
  readonly of: string;
  readonly after: string;
  readonly index: number;
  /** How many pages came before. */
  readonly pages: number;
}

const filterOf = (parameters: Fields): string =>
  JSON.stringify({ ...parameters, Marker: undefined, PageSize: undefined });

const encodeMarker = (position: Position): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

function decodeMarker(marker: string): Position | undefined {
  try {
    const position: unknown = JSON.parse(Buffer.from(marker, 'base64url').toString('utf8'));
    const isPosition = typeof position === 'object' && position !== null && 'after' in position;
    return isPosition ? (position as Position) : undefined;
  } catch {
    return undefined;
  }
}

/** Cuts one page out of a list; a marker holds for the same action and filter only. */
export function cutPage(all: readonly Fields[], request: PageRequest): Page {
  const { action, parameters } = request;
  const arnName = arnNames[action] ?? '';
  const of = filterOf(parameters);
  const marker = text(parameters, 'Marker');
  const position = marker === undefined ? undefined : decodeMarker(marker);
  if (marker !== undefined && (position?.action !== action || position.of !== of))
    return { badMarker: marker };
  const found = position === undefined ? -1 : all.findIndex((one) => text(one, arnName) === position.after);
  // What a marker stands behind may be gone by now; then the list continues at the same place.
  const start = found >= 0 ? found + 1 : (position?.index ?? 0);
  const pages = position?.pages ?? 0;
  const allowed = pages < request.smallPages ? request.pageSize : LARGEST;
  const size = Math.min(allowed, Number(text(parameters, 'PageSize') ?? LARGEST));
  const items = all.slice(start, start + size);
  const last = items.at(-1);
  if (last === undefined || start + size >= all.length) return { items };
  const next = { action, of, after: text(last, arnName) ?? '', index: start + size, pages: pages + 1 };
  return { items, nextMarker: encodeMarker(next) };
}
