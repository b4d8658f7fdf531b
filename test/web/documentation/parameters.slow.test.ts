import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { field } from '../../support/client.ts';
import { type Operation, readDescription } from '../../support/description.ts';
import { mapWithGoogle } from '../../support/places.ts';
import { longTest } from '../../support/size.ts';

const STRICT = { Prefer: 'handling=strict' };

const inQuery = ({ parameters }: Operation): string[] =>
  parameters.filter((parameter) => parameter['in'] === 'query').map(({ name }) => String(name));
const lists = readDescription().operations.filter(
  (operation) =>
    operation.method === 'GET' &&
    /^\/api\/(?!auth\/)[^{]*$/.test(operation.path) &&
    inQuery(operation).length > 0,
);
const names = new Set(lists.flatMap(inQuery));

describe('the description', () => {
  longTest('has all parameters of a list that any list has', async (t) => {
    const { api } = (await mapWithGoogle(t, { RATE_LIMIT_PER_MINUTE: '0' })).service;
    const missing: string[] = [];
    for (const list of lists)
      for (const name of names) {
        if (inQuery(list).includes(name)) continue;
        const { status, body } = await api.get(`${list.path.replace('/api', '')}?${name}=x`, STRICT);
        const isUnknown =
          status === 400 && String(field(body, 'error')).includes(`unknown parameter ${name}`);
        if (!isUnknown) missing.push(`${list.operationId}: ${name}`);
      }
    assert.ok(lists.length > 10 && names.size > 30);
    assert.deepEqual(missing, []);
  });
});
