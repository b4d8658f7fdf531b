import { changeOf, reverted } from './changes.ts';
import { type Client, array, field } from './client.ts';
import { addList, addRestaurants, putItem } from './lists.ts';
import { addOuting, ballot, joinAs } from './outings.ts';
import { changeStored } from './people.ts';
import type { World } from './world.ts';

/** Words that stand in lists, visits and outings of the owner, and nowhere else. */
export const SECRETS = {
  list: 'zyzzyva list',
  renamed: 'quincunx list',
  description: 'brobdingnag plan',
  item: 'widdershins note',
  oldItem: 'syzygy note',
  visit: 'absquatulate evening',
  oldVisit: 'kerfuffle evening',
  companion: 'Rumpelstiltskin',
  dish: 'gallimaufry stew',
  dishNote: 'borborygmus remark',
  deletedList: 'taradiddle list',
  deletedVisit: 'flibbertigibbet night',
  outing: 'collywobbles dinner',
  guest: 'Bumfuzzle',
};

/** The requests by which the owner has made things under keys, for others to repeat. */
export const KEYED: readonly (readonly [string, object, string])[] = [
  ['/lists', { name: SECRETS.list, description: SECRETS.description }, 'the key of a list'],
  [
    '/visits',
    {
      restaurant_id: 1,
      visited_on: '2026-01-31',
      note: SECRETS.oldVisit,
      currency: 'EUR',
      companions: [SECRETS.companion],
      dishes: [{ name: SECRETS.dish, note: SECRETS.dishNote, price_minor: 987_654_321 }],
    },
    'the key of a visit',
  ],
];

/** The words among them that a text holds. */
export function secretsIn(text: string): string[] {
  return [...Object.values(SECRETS), '987654321'].filter((secret) => text.includes(secret));
}

/**
 * Lists, visits and an outing of the owner, changed, deleted, restored and part of a batch, all with secrets; at restaurant 1, and at 2,
 * which is deleted. Returns the ids of a list and a visit.
 */
export async function keepSecrets({
  owner,
  admin,
  service,
}: World): Promise<{ list: number; visit: number }> {
  await addRestaurants(admin, 'Chez Nous', 'Le Coin');
  const made: number[] = [];
  for (const [path, body, key] of KEYED) {
    const answer = await owner.post(path, body, { 'Idempotency-Key': key });
    made.push(Number(field(answer.body, 'id')));
  }
  const [list = 0, visit = 0] = made;
  await putItem(owner, list, 1, { note: SECRETS.oldItem });
  await putItem(owner, list, 1, { note: SECRETS.item });
  await putItem(owner, 'want', 2, { note: SECRETS.item });
  await owner.put(`/lists/${list}`, { name: SECRETS.renamed });
  await owner.put(`/visits/${visit}`, { note: SECRETS.visit });
  await owner.post('/visits', { restaurant_id: 2, note: SECRETS.visit });
  const outing = await addOuting(owner, [1, 2], { title: SECRETS.outing });
  await joinAs(service.api, outing, SECRETS.guest, ballot({ 1: 'yes' }));
  await admin.delete('/restaurants/2');

  const gone = await addList(owner, SECRETS.deletedList);
  await putItem(owner, gone, 1, { note: SECRETS.oldItem });
  const deletion = changeOf(await owner.delete(`/lists/${gone}`));
  await owner.post(
    `/changes/${await reverted(owner, deletion)}/revert`,
    {},
    { 'Idempotency-Key': 'the key of a revert' },
  );
  const third = await owner.post('/visits', { restaurant_id: 1, note: SECRETS.deletedVisit });
  await owner.delete(`/visits/${String(field(third.body, 'id'))}`);

  changeStored(
    service.folder,
    "INSERT INTO batches (at, file) VALUES ('2026-01-31T19:30:00.000Z', 'saved.csv')",
  );
  changeStored(
    service.folder,
    "UPDATE changes SET batch_id = 1 WHERE id IN (SELECT id FROM changes WHERE kind IN ('list', 'visit') ORDER BY id LIMIT 3)",
  );
  return { list, visit };
}

/** All that the owner reads of them. */
export async function readOwn(owner: Client): Promise<string> {
  const texts: unknown[] = [
    (await owner.get('/me/export')).body,
    (await owner.get('/outings')).body,
    (await owner.get('/changes?since=start&limit=1000')).body,
  ];
  for (const list of array((await owner.get('/lists')).body)) texts.push(list);
  return JSON.stringify(texts);
}
