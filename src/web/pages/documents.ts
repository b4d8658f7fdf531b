import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import type { PublicAnswers } from '../../catalogue/public-answers.ts';
import { Cache } from '../../kit/cache.ts';
import { Queue } from '../../kit/queue.ts';
import { parseJson, propertiesOf } from '../../kit/objects.ts';
import { type StaticFile, asHtml, fillIn, staticFile } from '../../kit/static-files.ts';
import type { Links, SharedList } from '../../people/links/links.ts';
import type { Outing } from '../../people/outings/record.ts';
import type { Say } from './languages.ts';

/** What is asked of a page. */
export interface DocumentRequest {
  readonly parameters: ReadonlyMap<string, string>;
  /** Without the question mark. */
  readonly query: string;
}

/** The document of a page. */
interface Page {
  readonly file: StaticFile;
  /** False for a link that opens nothing; the app says so of everything else that is missing. */
  readonly isFound: boolean;
  /** The page of the place into which this one was merged. */
  readonly movedTo?: string | undefined;
}

/** What differs between the documents of one page. */
interface Content {
  readonly title: string;
  readonly description?: string;
  readonly data: Data;
}

/** The data that a document carries for the app. */
interface Data {
  /** When they were read, in milliseconds since 1970. */
  readonly at: number;
  /** Bodies of the API as JSON, by the addresses below /api at which the app asks for them. */
  readonly answers: ReadonlyMap<string, string>;
  /** Where Explore begins; null where it shows everything, the best rated first. */
  readonly start: { readonly bbox?: string; readonly sort?: string } | null;
}

type StartArea = Awaited<ReturnType<PublicAnswers['startArea']>>;

const EXPLORE = '/';
const PLACE = '/restaurants/:id';
const SHARED_LIST = '/l/:token';
const OUTING = '/o/:token';
/** The pages that links open. */
export const SHARED_PAGES: readonly string[] = [SHARED_LIST, OUTING];
const PLACE_QUERY = 'open_at=now&include=cover,photos,ratings';
// The service worker keeps this page for as long as its version lives, so it carries nothing that becomes outdated.
const SHELL = 'shell';
const NO_DATA: Data = { at: 0, answers: new Map(), start: null };
const ID = /^[1-9]\d{0,14}$/;
// Within JSON these are in texts alone.
const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

// A longer list is asked for by the page. About 500 places.
const MOST_OF_LIST = 512 * 1024;

// About 80 times Explore, or 1,000 places.
const MOST_BYTES = 16 * 1024 * 1024;
// A body, and a compressed copy of it.
const FORMS = 1.5;
// Opening hours move on without a write.
const MAX_AGE_MS = 60_000;
// Reading takes as long only while the index is loaded; the app then asks for the data itself. Waiting in steps gives a
// process that was held up the time that it has lost.
const WAITS = 20;
const WAIT_MS = 100;

/**
 * The documents of the web app with the public data of their pages, which are the same for everyone. Each is made once
 * for a version of the catalogue.
 */
export class Documents {
  readonly #answers: PublicAnswers;
  readonly #links: Links;
  readonly #name: string;
  readonly #config: string;
  readonly #report: (error: unknown) => void;
  #version: string | undefined;
  #made = newCache();
  #underWay = new Map<string, Promise<StaticFile>>();
  // The slices of several would add up: their work is for all who ask, and takes no turns among clients.
  readonly #queue = new Queue({ atOnce: 1 });

  /** `config` is the answer of /app-config; `report` is called with the reason why a document has no data. */
  constructor(
    answers: PublicAnswers,
    links: Links,
    config: { readonly name: string },
    report: (error: unknown) => void,
  ) {
    this.#answers = answers;
    this.#links = links;
    this.#name = config.name;
    this.#config = JSON.stringify(config);
    this.#report = report;
  }

  /**
   * Returns a function for the documents of one page. They are without data where these cannot be read, or not in
   * time.
   */
  ofPage(
    pattern: string,
    template: string,
    values: Readonly<Record<string, string>>,
    say: Say,
  ): (request: DocumentRequest) => Promise<Page> {
    const { lang = '' } = values;
    const fill = ({ title, description, data }: Content): StaticFile => {
      const all = {
        ...values,
        title: asHtml(title),
        description: metaOf(title, description),
        data: scriptOf(data),
      };
      return staticFile('index.html', Buffer.from(fillIn(template, all)));
    };
    const bare = fill({ title: this.#name, data: NO_DATA });
    return async ({ parameters, query }) => {
      if (pattern === OUTING) {
        const token = parameters.get('token') ?? '';
        // Made for each request: a vote does not change the version of the catalogue.
        const found = this.#links.outing(token);
        const file = query === SHELL ? bare : fill(this.#readOuting(found, token, say));
        return { file, isFound: found !== undefined };
      }
      if (pattern === SHARED_LIST) {
        const secret = parameters.get('token') ?? '';
        // Looked up for each request: a link may end at any moment.
        const found = this.#links.list(secret);
        const make = async (): Promise<StaticFile> => fill(await this.#readShared(found, secret, say));
        const file = query === SHELL ? bare : await this.#once(`${lang} link ${found?.link.id ?? ''}`, make);
        return { file: file ?? bare, isFound: found !== undefined };
      }
      if (query === SHELL) return { file: bare, isFound: true };
      const text = parameters.get('id') ?? '';
      const place = pattern === PLACE && ID.test(text) ? Number(text) : undefined;
      const into = place === undefined ? undefined : this.#targetOf(place);
      if (into !== undefined) return { file: bare, isFound: true, movedTo: `/restaurants/${into}` };
      // There are too many addresses with a query to have the rows of each in memory.
      const rows = query === '' ? pattern : undefined;
      const id = rows === undefined ? undefined : place;
      const key = `${lang} ${pattern} ${id ?? rows ?? 'without rows'}`;
      const file = await this.#once(key, async () => fill(await this.#read(rows, id, say)));
      return { file: file ?? bare, isFound: true };
    };
  }

  /** The place into which one was merged; the data of its own page are missing where that cannot be read. */
  #targetOf(id: number): number | undefined {
    try {
      return this.#answers.successorOf(id);
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  /** What every page carries. */
  #lookups(): readonly (readonly [address: string, body: string])[] {
    return [
      ['/app-config', this.#config],
      ['/categories', this.#answers.lookups('categories')],
      ['/food-types', this.#answers.lookups('foodTypes')],
    ];
  }

  /** The content of a page for someone with a link; undefined is one that opens nothing. */
  async #readShared(found: SharedList | undefined, secret: string, say: Say): Promise<Content> {
    const answers = new Map(this.#lookups());
    const data = { at: Date.now(), answers, start: null };
    if (!found) return { title: `${say('missing')} - ${this.#name}`, data };
    const { name, description, item_count } = found.list;
    const body = await this.#links.text(found, MOST_OF_LIST, immediate);
    if (body !== undefined) answers.set(`/shared/${secret}?include=cover`, body);
    return {
      title: `${name} - ${this.#name}`,
      description: description ?? say('places', { count: item_count }),
      data,
    };
  }

  /** The content of a page for someone with a link and nothing else; undefined is one that opens nothing. */
  #readOuting(found: Outing | undefined, token: string, say: Say): Content {
    const answers = new Map(this.#lookups());
    const data = { at: Date.now(), answers, start: null };
    if (!found) return { title: `${say('missing')} - ${this.#name}`, data };
    const json = this.#links.outingJson(found, undefined);
    answers.set(`/shared/${token}`, JSON.stringify(json));
    return {
      title: `${found.title ?? say('outing')} - ${this.#name}`,
      // Not when it is, since the time zone of the reader of a preview is unknown.
      description: json.outing.options.map(({ name }) => name).join(', '),
      data,
    };
  }

  /** What was made for the current version, or is made now; undefined if that fails or takes too long. */
  async #once(key: string, make: () => Promise<StaticFile>): Promise<StaticFile | undefined> {
    try {
      const version = this.#answers.version();
      if (version !== this.#version) {
        this.#made = newCache();
        this.#underWay = new Map();
      }
      this.#version = version;
      // What is made before a write goes into the cache of that time.
      const [made, underWay] = [this.#made, this.#underWay];
      const known = made.get(key);
      if (known) return known;
      const making =
        underWay.get(key) ??
        this.#queue
          .run(make)
          .then((file) => {
            made.set(key, file, FORMS * file.body.length);
            return file;
          })
          .finally(() => underWay.delete(key));
      underWay.set(key, making);
      for (let waits = 0; waits < WAITS; waits += 1) {
        const file = await Promise.race([making, pause(WAIT_MS, undefined, { ref: false })]);
        if (file) return file;
      }
      return undefined;
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  /** The content for a page; without the pattern of one that has rows, these are left out. */
  async #read(pattern: string | undefined, id: number | undefined, say: Say): Promise<Content> {
    const at = Date.now();
    const start = startOf(await this.#answers.startArea());
    const lookups = this.#lookups();
    const dataWith = (...more: (readonly [address: string, body: string])[]): Data => {
      return { at, answers: new Map([...lookups, ...more]), start };
    };
    if (pattern === EXPLORE) {
      const { bbox, sort = 'rating' } = start ?? {};
      const box = bbox === undefined ? '' : `&bbox=${bbox}`;
      const query = `limit=100${box}&sort=${sort}&include=opening,cover`;
      const body = await this.#answers.page(query);
      return { title: this.#name, data: dataWith([`/restaurants/paginated?${query}`, body]) };
    }
    if (pattern !== PLACE) return { title: this.#name, data: dataWith() };
    const body = id && (await this.#answers.restaurant(id, PLACE_QUERY));
    if (!body) return { title: `${say('missing')} - ${this.#name}`, data: dataWith() };
    const { name, description } = headOf(body);
    const data = dataWith([`/restaurants/${id}?${PLACE_QUERY}`, body]);
    return { title: `${name} - ${this.#name}`, description, data };
  }
}

function newCache(): Cache<string, StaticFile> {
  return new Cache({ maxBytes: MOST_BYTES, maxAgeMs: MAX_AGE_MS });
}

function startOf({ box, isRated }: StartArea): Data['start'] {
  const bbox = box && [box.west, box.south, box.east, box.north].map((one) => one.toFixed(4)).join();
  if (bbox === undefined && isRated) return null;
  return { ...(bbox !== undefined && { bbox }), ...(!isRated && { sort: 'newest' }) };
}

/** What search engines and chats show of a page. */
function metaOf(title: string, description: string | undefined): string {
  if (description === undefined) return '';
  return [
    `<meta name="description" content="${asHtml(description)}" />`,
    `<meta property="og:title" content="${asHtml(title)}" />`,
    `<meta property="og:description" content="${asHtml(description)}" />`,
  ].join('\n    ');
}

/** The script that holds the data, as JSON that no markup can end. */
function scriptOf({ at, answers, start }: Data): string {
  const members = Array.from(answers, ([address, body]) => `${JSON.stringify(address)}:${body}`);
  const text = `{"at":${at},"answers":{${members.join()}},"start":${JSON.stringify(start)}}`;
  const safe = text.replace(/[<\u2028\u2029]/g, (character) => ESCAPES[character] ?? '');
  return `<script type="application/json" id="data">${safe}</script>`;
}

/** The title and description of a place's page, of its JSON. */
function headOf(restaurant: string): { readonly name: string; readonly description: string } {
  const fields = propertiesOf(parseJson(restaurant));
  const texts = ['name', 'address', 'description'].map((field) => fields?.get(field));
  const [name = '', ...more] = texts.filter((text) => typeof text === 'string');
  // Characters beyond 16 bits stay whole.
  const description = /^.{0,300}/su.exec([name, ...more].join('. '))?.[0] ?? name;
  return { name, description };
}
