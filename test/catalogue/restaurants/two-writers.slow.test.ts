import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { randomNumbers } from '../../support/catalogue.ts';
import type { Client } from '../../support/client.ts';
import { runCommand } from '../../support/cli.ts';
import { checkLists } from '../../support/list-oracle.ts';
import { type Below, addPlace, fieldsOf, rate } from '../../support/random-places.ts';
import { startService } from '../../support/service.ts';

const ROUNDS = 4;

describe('lists of a server next to which another process writes', () => {
  test('hold what both have written', async (t) => {
    const { api, folder } = await startService(t);
    const random = randomNumbers(23);
    const below: Below = (count) => Math.floor(random() * count);
    for (let index = 0; index < 60; index += 1)
      await addPlace(api, index, below, { google_place_id: `place-${index}` });
    let added = 60;
    for (let round = 0; round < ROUNDS; round += 1) {
      const [imported] = await Promise.all([importSome(folder, round, below), changeSome(api, below)]);
      added += imported + 5;
      await checkLists(api, added + 20, [[], ['category_id'], ['food_type_ids', 'min_rating']]);
    }
  });
});

/** Ten new restaurants, and ten that the server has, with other fields. */
async function importSome(folder: string, round: number, below: Below): Promise<number> {
  const lines = Array.from({ length: 20 }, (_, line) => {
    const { category_id: _category, food_type_ids: _foodTypes, ...fields } = fieldsOf(line, below);
    const isNew = line < 10;
    const address = isNew ? `${1000 + round * 10 + line} Rue` : fields['address'];
    const google_place_id = `place-${isNew ? 1000 + 20 * round + line : line}`;
    return JSON.stringify({ ...fields, address, google_place_id });
  });
  const variables = { DATA_DIR: folder };
  const input = lines.join('\n');
  const { code, err } = await runCommand(['import', '-', '--format', 'ndjson'], { variables, input });
  assert.equal(code, 0, err);
  return 20;
}

async function changeSome(api: Client, below: Below): Promise<void> {
  for (let step = 0; step < 30; step += 1) {
    const id = 1 + below(60);
    const { name: _name, status: _status, ...fields } = fieldsOf(id, below);
    if (step % 3 === 0) await rate(api, id, below);
    else if (step % 3 === 1) await api.put(`/restaurants/${id}`, fields);
    else if (step % 6 === 2) await api.delete(`/restaurants/${id}`);
    else await addPlace(api, 300 + below(1_000_000), below);
  }
}
