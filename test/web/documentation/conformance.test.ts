import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Exchange, createChecker } from '../../support/conformance.ts';
import { madeUpDescription } from '../../support/made-up-description.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const cooked = {
  id: 1,
  name: 'Soup',
  tags: [{ tag: 'hot' }],
  price: 4.5,
  cooked_at: '2026-01-02T03:04:05.000Z',
  cook: { email: 'cook@example.org' },
};

interface MadeUp {
  readonly status?: number;
  /** Besides X-Request-Id, which null removes, and the type of the body. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly type?: string | null;
  /** Text and bytes as they are, all else as JSON; undefined for none. */
  readonly body?: unknown;
}

const checked = createChecker(madeUpDescription());

function faultsOf(request: string, { status = 200, headers = {}, type = JSON_TYPE, body }: MadeUp): string[] {
  const [method = '', path = ''] = request.split(' ');
  const all = Object.entries({ 'X-Request-Id': 'a-1', 'Content-Type': type, ...headers });
  const exchange: Exchange = {
    method,
    path,
    status,
    headers: all.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]])),
    body: body === undefined ? Buffer.alloc(0) : bytesOf(body),
  };
  return checked(exchange).map((fault) => fault.replace(`${request} -> ${status}: `, ''));
}

function bytesOf(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

const Allow = 'POST, GET, HEAD, OPTIONS';
const error = { error: 'Not found' };

describe('the check of answers by a description', () => {
  const fine: readonly [string, string, MadeUp][] = [
    ['a record with its part from another schema', 'GET /dishes/1', { body: cooked }],
    ['a record where null is allowed', 'GET /dishes/1', { body: { ...cooked, cook: null } }],
    ['a record without what may be missing', 'GET /dishes/1', { body: { ...cooked, price: undefined } }],
    ['a path with a slash at its end and a query', 'GET /dishes/1/?x=/y', { body: cooked }],
    ['a path with an encoded letter', 'GET /d%69shes/1', { body: cooked }],
    ['an empty list', 'GET /dishes', { body: [] }],
    ['another of the documented types', 'GET /dishes', { type: 'text/plain; charset=utf-8', body: 'soup' }],
    ['bytes of a documented type', 'GET /dishes', { type: 'image/png', body: Buffer.from([1, 2]) }],
    ['an answer to HEAD', 'HEAD /dishes/1', {}],
    ['a documented error', 'GET /dishes/1', { status: 404, body: error }],
    ['a general error of a documented path', 'GET /dishes/1', { status: 417, body: error }],
    ['nothing with 204', 'DELETE /dishes/1', { status: 204, type: null }],
    ['a number in a header', 'GET /dishes/best', { type: null, headers: { votes: '7' } }],
    ['a header of the connection', 'GET /dishes', { headers: { 'Keep-Alive': 'timeout=5' }, body: [] }],
    ['an unknown path', 'GET /menus', { status: 404, body: error }],
    ['a broken target', 'GET /dishes/%zz', { status: 400, body: error }],
    ['a method that is not there', 'PUT /dishes', { status: 405, headers: { Allow }, body: error }],
    ['an answer to OPTIONS', 'OPTIONS /dishes', { status: 204, headers: { Allow }, type: null }],
    ['an answer to OPTIONS over the limit', 'OPTIONS /dishes', { status: 429, body: error }],
  ];
  for (const [title, request, answer] of fine)
    test(`lets ${title} pass`, () => {
      assert.deepEqual(faultsOf(request, answer), []);
    });

  const DISH = 'GET /dishes/1';
  const LIST = 'GET /dishes';
  const BEST = 'GET /dishes/best';
  const NOWHERE = 'GET /menus';
  const without = (name: string): MadeUp => ({ body: { ...cooked, [name]: undefined } });
  const withField = (name: string, value: unknown): MadeUp => ({ body: { ...cooked, [name]: value } });
  const undocumented = (place: string): string => `${place} has a property "secret" that is not documented`;
  const unknownType = (type: string): string => `the content type "${type}" is not documented`;
  const SHORT = { id: 1, name: 'Soup' };
  const UNKNOWN_STATUS = 'the status is not documented for';

  const wrong: readonly [string, string, MadeUp, string][] = [
    ['a status', DISH, { status: 409, body: error }, `${UNKNOWN_STATUS} getDish`],
    ['a missing field', DISH, without('name'), "value must have required property 'name'"],
    ['a surplus field', DISH, withField('secret', 1), undocumented('value')],
    [
      'a surplus field deep inside',
      LIST,
      { body: [{ ...SHORT, tags: [{ tag: 'a', secret: 1 }] }] },
      undocumented('value/0/tags/0'),
    ],
    [
      'a surplus field of one of several shapes',
      DISH,
      withField('cook', { email: 'a@example.org', secret: 1 }),
      undocumented('value/cook'),
    ],
    ['a wrong type', DISH, withField('id', '1'), 'value/id must be integer'],
    ['a value out of range', DISH, withField('id', 0), 'value/id must be >= 1'],
    ['null', DISH, withField('name', null), 'value/name must be string'],
    ['a wrong form', DISH, withField('cooked_at', 'today'), 'value/cooked_at must match format "date-time"'],
    ['another shape', LIST, { body: cooked }, 'value must be array'],
    [
      'a long text',
      LIST,
      { type: 'text/plain', body: 'soup of the day' },
      'value must NOT have more than 5 characters',
    ],
    [
      'a missing header',
      'POST /dishes',
      { status: 201, body: { ...SHORT, tags: [] } },
      'the header location is missing',
    ],
    [
      'a missing header of all answers',
      LIST,
      { headers: { 'X-Request-Id': null }, body: [] },
      'the header x-request-id is missing',
    ],
    ['a header', LIST, { headers: { Surprise: '1' }, body: [] }, 'the header Surprise is not documented'],
    [
      'a header of another answer',
      LIST,
      { headers: { Votes: '1' }, body: [] },
      'the header Votes is not documented',
    ],
    [
      'a header that is no number',
      BEST,
      { type: null, headers: { Votes: 'many' } },
      'Votes: value must be integer',
    ],
    ['a header out of range', BEST, { type: null, headers: { Votes: '0' } }, 'Votes: value must be >= 1'],
    ['a content type', LIST, { type: 'text/html', body: 'x' }, unknownType('text/html')],
    [
      'JSON without its charset',
      LIST,
      { type: 'application/json', body: [] },
      `the content type "application/json" is not ${JSON_TYPE}`,
    ],
    ['a body without a type', LIST, { type: null, body: [] }, 'there is a body without a Content-Type'],
    ['no body', LIST, { type: null }, 'the documented body is missing'],
    ['no bytes', LIST, { type: 'image/png' }, 'the documented body is missing'],
    ['an empty text for JSON', LIST, {}, 'the body is no JSON'],
    [
      'a body with 204',
      'DELETE /dishes/1',
      { status: 204, type: null, body: {} },
      'there is a body where none may be',
    ],
    ['a type with 302', 'DELETE /dishes/1', { status: 302 }, 'there is a Content-Type where no body may be'],
    ['a body for HEAD', 'HEAD /dishes/1', { body: cooked }, 'there is a body where none may be'],
    ['a body where none is documented', BEST, { body: {} }, unknownType(JSON_TYPE)],
    ['text for an error', DISH, { status: 404, body: 'Not found' }, 'the body is no JSON'],
    [
      'another shape of error',
      NOWHERE,
      { status: 404, body: { message: 'Not found' } },
      "value must have required property 'error'",
    ],
    [
      'an error that says more',
      NOWHERE,
      { status: 404, body: { ...error, secret: '' } },
      undocumented('value'),
    ],
    ['an answer where there is no path', NOWHERE, { body: [] }, 'the path is not documented'],
    ['405 where there is no path', NOWHERE, { status: 405, body: error }, 'the path is not documented'],
    ['a method', 'PUT /dishes', { body: [] }, 'PUT is not documented for this path, nor the status for all'],
    ['405 without Allow', 'PUT /dishes', { status: 405, body: error }, 'the header allow is missing'],
    [
      '405 with the methods of another path',
      'PUT /dishes',
      { status: 405, headers: { Allow: 'GET' }, body: error },
      'Allow: value must match pattern "\\bPOST\\b"',
    ],
    ['a fixed path read as a parameter', BEST, { status: 404, body: error }, `${UNKNOWN_STATUS} getBestDish`],
  ];
  for (const [title, request, answer, fault] of wrong)
    test(`names ${title} that is not documented`, () => {
      assert.ok(faultsOf(request, answer).includes(fault), faultsOf(request, answer).join('\n'));
    });

  test('ignores the body of an interrupted answer', () => {
    const headers = Object.entries({ 'X-Request-Id': 'a', 'Content-Type': JSON_TYPE });
    const exchange = { method: 'GET', path: '/dishes', status: 200, headers };
    assert.deepEqual(checked({ ...exchange, body: undefined }), []);
    const half = checked({ ...exchange, body: Buffer.from('[{') });
    assert.deepEqual(half, ['GET /dishes -> 200: the body is no JSON']);
  });
});
