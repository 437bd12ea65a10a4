import { parseXML } from '@aws-sdk/xml-builder';
import { type Fields, type Value, fieldsOf, text } from './fields.ts';

const namespace = 'http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/';

/** What AWS answers when it refuses or fails. */
export interface AwsError {
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

const special: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

const escapeText = (value: string): string => value.replace(/[&<>"\r]/g, (one) => special[one] ?? one);

function element(name: string, value: Value | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return `<${name}>${escapeText(value)}</${name}>`;
  // A map has its entries beside each other.
  if (Array.isArray(value) && name === 'entry') return value.map((one: Value) => element(name, one)).join('');
  if (Array.isArray(value)) {
    return `<${name}>${value.map((one: Value) => element('member', one)).join('')}</${name}>`;
  }
  const inner = Object.entries(value).map(([part, one]) => element(part, one));
  return `<${name}>${inner.join('')}</${name}>`;
}

/** Writes the XML answer of an ELBv2 action. */
export function encodeAnswer(action: string, result: Fields, requestId: string): string {
  const body = element(`${action}Result`, result) + element('ResponseMetadata', { RequestId: requestId });
  return `<${action}Response xmlns="${namespace}">${body}</${action}Response>`;
}

/** Writes the XML error that AWS SDKs turn into a typed exception. */
export function encodeError(error: AwsError, requestId: string): string {
  const type = error.status >= 500 ? 'Receiver' : 'Sender';
  const body = element('Error', { Type: type, Code: error.code, Message: error.message });
  return `<ErrorResponse xmlns="${namespace}">${body}${element('RequestId', requestId)}</ErrorResponse>`;
}

/** Reads the result of an ELBv2 answer into nested JSON. */
export function decodeAnswer(action: string, xml: string): Fields {
  return fieldsOf(fieldsOf(decode(xml), `${action}Response`), `${action}Result`);
}

/** Reads the code and message of an error answer, in either shape that AWS uses. */
export function decodeError(xml: string, status: number): AwsError {
  const root = decode(xml);
  const response =
    root['ErrorResponse'] === undefined ? fieldsOf(root, 'Response') : fieldsOf(root, 'ErrorResponse');
  const nested = response['Errors'] === undefined ? response : fieldsOf(response, 'Errors');
  const error = fieldsOf(nested, 'Error');
  return {
    code: text(error, 'Code') ?? 'Unknown',
    message: text(error, 'Message') ?? xml.slice(0, 500),
    status,
  };
}

/** Reads an XML document into nested JSON, with `member` elements as lists. */
export function decode(xml: string): Fields {
  try {
    const value = settle(parseXML(xml));
    return typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {};
  } catch {
    return {};
  }
}

function settle(value: unknown): Value {
  if (Array.isArray(value)) return value.map(settle);
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value : '';
  const entries = Object.entries(value);
  const [only] = entries;
  if (only !== undefined && entries.length === 1 && only[0] === 'member') {
    return Array.isArray(only[1]) ? only[1].map(settle) : [settle(only[1])];
  }
  return Object.fromEntries(entries.map(([name, one]) => [name, settle(one)]));
}
