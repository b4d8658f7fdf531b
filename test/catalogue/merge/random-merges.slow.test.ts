import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { randomNumbers } from '../../support/catalogue.ts';
import { changeOf, revert, reverted } from '../../support/changes.ts';
import { type Answer, type Client, bodyOf, idOf } from '../../support/client.ts';
import { addList, addMembers, putItem } from '../../support/lists.ts';
import { TWINS, allViews, faultsIn, merge } from '../../support/merges.ts';
import { SEED, scaled } from '../../support/size.ts';
import { type World, addPhoto, ratingOf, startWorld } from '../../support/world.ts';

// About three merges and reverts each: a thousand at the scale 8.
const ROUNDS = scaled(45);
const PLACES = 8;
// Writes between two comparisons.
const MOST_WRITES = 8;
const CHECKED_EVERY = 40;

type Pick = <One>(from: readonly One[]) => One;

/** A write, and who made it. */
interface Deed {
  readonly by: Client;
  readonly answer: Answer;
}

/** Restaurants and lists of several people, which random writes change. */
class Scene {
  readonly pick: Pick;
  readonly below: (limit: number) => number;
  readonly admin: Client;
  readonly #people: readonly Client[];
  readonly #lists = new Map<Client, (number | string)[]>();
  /** The restaurants that are there. */
  places: readonly number[] = [];
  #words = 0;

  constructor({ admin, owner, other }: World, seed: number) {
    const next = randomNumbers(seed);
    this.below = (limit) => Math.floor(next() * limit);
    this.pick = (from) => {
      const found = from[this.below(from.length)];
      if (found === undefined) throw new Error('nothing to choose from');
      return found;
    };
    this.admin = admin;
    this.#people = [admin, owner, other];
  }

  async prepare(): Promise<void> {
    const [admin, owner, other] = this.#people;
    if (!admin || !owner || !other) throw new Error('nobody is there');
    const [shared, own] = [await addList(owner, 'Shared'), await addList(admin, 'Own')];
    await addMembers(owner, shared, other, admin);
    for (const person of this.#people) this.#lists.set(person, ['want', 'favourites', shared]);
    this.#lists.get(admin)?.push(own);
    for (let place = 0; place < PLACES; place += 1) await this.addPlace();
  }

  async addPlace(): Promise<void> {
    const {
      google_place_id: _google,
      external_ids: _ids,
      ...fields
    } = { ...TWINS[1], google_place_id: 0, external_ids: 0 };
    const some = Object.entries(fields).filter(([name]) => name !== 'name' && this.below(2) === 0);
    const { latitude: _one, longitude: _other, ...kept } = Object.fromEntries(some);
    const osm = this.below(2) === 0 ? { external_ids: { osm: `N${(this.#words += 1)}` } } : {};
    const body = { ...kept, ...osm, name: this.#word('Place') };
    if (this.below(3) > 0) {
      this.places = [...this.places, idOf(await this.admin.post('/restaurants', body))];
      return;
    }
    const suggestion = idOf(await this.admin.post('/suggestions', { name: body.name }));
    this.places = [...this.places, idOf(await this.admin.post(`/suggestions/${suggestion}/convert`, {}))];
  }

  #word(prefix: string): string {
    return `${prefix} ${(this.#words += 1)}`;
  }

  /**
   * A write of any kind. Without `moves` no item of a list is moved or removed: its way back is by the position among those that
   * are seen, which leaves open on which side of hidden ones it comes to stand.
   */
  async write(moves = true): Promise<Deed> {
    const by = this.pick(this.#people);
    return { by, answer: await this.#write(by, this.below(moves ? 9 : 7)) };
  }

  #write(person: Client, kind: number): Promise<Answer> {
    const place = this.pick(this.places);
    const list = this.pick(this.#lists.get(person) ?? []);
    switch (kind) {
      case 0:
        return this.#rate(person, place);
      case 1:
        return this.#visit(person, place);
      case 2:
        return person.put(`/restaurants/${place}`, {
          phone: this.pick([null, this.#word('+33')]),
          food_type_ids: [1 + this.below(9)],
          diets: { vegan: this.pick([null, 'yes', 'no']) },
        });
      case 3:
        return person.delete(`/ratings/${1 + this.below(60)}`);
      case 4:
        return typeof list === 'number' ? person.delete(`/lists/${list}`) : this.#rate(person, place);
      case 7:
        return putItem(person, list, place, { position: 1 + this.below(PLACES) });
      case 8:
        return person.delete(`/lists/${list}/items/${place}`);
      default:
        return putItem(person, list, place, { note: this.pick([null, this.#word('Note')]) });
    }
  }

  #rate(person: Client, place: number): Promise<Answer> {
    return person.post('/ratings', ratingOf(place, this.#word('Soup')));
  }

  #visit(person: Client, place: number): Promise<Answer> {
    return person.post('/visits', { restaurant_id: place, note: this.#word('Visit') });
  }

  /** A write that adds something, also to a restaurant that others were merged into, or changes another restaurant. */
  async add(into: number): Promise<Deed> {
    const by = this.pick(this.#people);
    return { by, answer: await this.#add(by, into) };
  }

  #add(person: Client, into: number): Promise<Answer> {
    const place = this.pick(this.places);
    switch (this.below(4)) {
      case 0:
        return this.#rate(person, place);
      case 1:
        return this.#visit(person, place);
      case 2:
        return place === into
          ? this.#rate(person, place)
          : person.put(`/restaurants/${place}`, { phone: this.#word('+33') });
      default:
        return place === into
          ? this.#visit(person, place)
          : putItem(person, this.pick(this.#lists.get(person) ?? []), place, { note: this.#word('Note') });
    }
  }

  /** Merges up to three restaurants into another one. */
  async merge(): Promise<{ readonly into: number; readonly answer: Answer }> {
    const others = [...this.places];
    const take = (): number => others.splice(this.below(others.length), 1)[0] ?? 0;
    const into = take();
    const from = Array.from({ length: 1 + this.below(3) }, take);
    const answer = await merge(this.admin, into, ...from);
    if (answer.status === 200) this.places = this.places.filter((place) => !from.includes(place));
    return { into, answer };
  }
}

/** Where two values differ, as a path with what is there in each. */
function differences(before: unknown, after: unknown, path = ''): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [left, right] = [before, after].map((value) =>
    typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined,
  );
  if (!left || !right) return [`${path}: ${JSON.stringify(before)}, then ${JSON.stringify(after)}`];
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names].flatMap((name) => differences(left.get(name), right.get(name), `${path} ${name}`));
}

describe('random merges and reverts among other writes', () => {
  test(`leave all as it was (seed ${SEED})`, async (t) => {
    const world = await startWorld(t);
    const { admin, owner, other, service } = world;
    const scene = new Scene(world, SEED);
    await scene.prepare();
    for (const place of scene.places.slice(0, 4)) await addPhoto(owner, place);
    const seen = (): Promise<unknown> => allViews(admin, owner, other);

    /** Undoes writes, the newest first. Those that changed nothing have no change. */
    async function undo(deeds: readonly Deed[]): Promise<void> {
      for (const { by, answer } of deeds.toReversed())
        if (answer.status < 300 && answer.headers.has('change')) {
          const { status, body } = await revert(by, changeOf(answer));
          assert.ok(
            status === 200 || JSON.stringify(body).includes('it changed nothing'),
            JSON.stringify(body),
          );
        }
    }

    let merges = 0;
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (let writes = scene.below(MOST_WRITES); writes > 0; writes -= 1) await scene.write();
      const [places, before] = [scene.places, await seen()];
      if (scene.below(2) === 0) {
        // Everything is undone in the opposite order, other merges as well.
        const done: Deed[] = [];
        for (let writes = 1 + scene.below(MOST_WRITES); writes > 0; writes -= 1)
          if (scene.places.length > 4 && scene.below(3) === 0) {
            done.push({ by: admin, ...(await scene.merge()) });
            merges += 1;
          } else done.push(await scene.write(scene.places === places));
        await undo(done);
      } else {
        // The merge is undone while what was added since is there, and perhaps done and undone once more.
        const { into, answer } = await scene.merge();
        merges += 1;
        const added: Deed[] = [];
        for (let writes = scene.below(MOST_WRITES); writes > 0; writes -= 1)
          added.push(await scene.add(into));
        if (answer.status === 200) {
          const back = await reverted(admin, changeOf(answer));
          if (scene.below(2) === 0) await reverted(admin, await reverted(admin, back));
        }
        await undo(added);
      }
      scene.places = places;
      assert.deepEqual(differences(before, await seen()), [], `round ${round}`);
      if (round % CHECKED_EVERY === 0) assert.deepEqual(faultsIn(service), [], `round ${round}`);
      // Some merges stay.
      if (scene.below(8) === 0) {
        await scene.merge();
        while (scene.places.length < PLACES) await scene.addPlace();
      }
    }
    assert.ok(merges >= ROUNDS);
    assert.deepEqual(faultsIn(service), []);
    bodyOf(await admin.get('/restaurants'));
  });
});
