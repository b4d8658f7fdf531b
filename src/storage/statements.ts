import { readFileSync } from 'node:fs';
import type { RunResult, Statement } from 'better-sqlite3';
import type { Connection } from './database.ts';

/** The folder of all SQL, at the same place whether the program runs from source or from the build. */
export const sqlFolder = new URL('../../sql/', import.meta.url);

/** The two tables of one shape; their name is the only thing ever put into SQL text, and only from this pair. */
export type LookupTable = 'categories' | 'food_types';

/** Values bound to a statement's named parameters. */
export type Bindings = Readonly<Record<string, string | number | null | Buffer>>;

/**
 * A statement whose rows have the columns of `Row`. It is prepared when it is first used: there are hundreds, most commands
 * use few, and all together take 20 ms.
 */
export class Prepared<Row> {
  readonly #connection: Connection;
  readonly #text: string;
  #form: 'rows' | 'pluck' | 'raw' = 'rows';
  #prepared: Statement<[Bindings?], Row> | undefined;

  constructor(connection: Connection, text: string) {
    this.#connection = connection;
    this.#text = text;
  }

  /** From now on a row is its first column. */
  pluck(): this {
    this.#form = 'pluck';
    return this;
  }

  /** From now on a row is the array of its columns. */
  raw(): this {
    this.#form = 'raw';
    return this;
  }

  get(bindings: Bindings = {}): Row | undefined {
    return this.prepare().get(bindings);
  }

  all(bindings: Bindings = {}): Row[] {
    return this.prepare().all(bindings);
  }

  iterate(bindings: Bindings = {}): IterableIterator<Row> {
    return this.prepare().iterate(bindings);
  }

  run(bindings: Bindings = {}): RunResult {
    return this.prepare().run(bindings);
  }

  /** Prepares it, unless it was used before. */
  prepare(): Statement<[Bindings?], Row> {
    if (this.#prepared) return this.#prepared;
    const prepared = this.#connection.prepare<[Bindings?], Row>(this.#text);
    if (this.#form === 'pluck') prepared.pluck();
    if (this.#form === 'raw') prepared.raw();
    return (this.#prepared = prepared);
  }
}

/** The named statements of one file in sql/queries. */
export interface QueryFile {
  /** Prepares the statement of that name. `Row` declares what its columns are. */
  readonly prepare: <Row = unknown>(name: string) => Prepared<Row>;
  /**
   * The same for a statement on columns that the program lists: `{fields}` or `{table.fields}` stands for them,
   * `{values}` for parameters of their names, `{assignments}` for both. Several names are fragments of one statement.
   */
  readonly prepareFor: <Row = unknown>(
    columns: readonly string[],
    ...names: readonly string[]
  ) => Prepared<Row>;
  /** The text of a fragment that is only ever part of a larger statement. */
  readonly fragment: (name: string) => string;
  /** Prepares a statement that was put together from fragments of this file. */
  readonly assemble: <Row>(fragments: readonly string[]) => Prepared<Row>;
}

export interface Queries {
  /** Opens sql/queries/<name>.sql, with `{table}` standing for a lookup table. */
  readonly file: (name: string, table?: LookupTable) => QueryFile;
  /** Prepares all statements made so far. Throws when one of them is no SQL for this database. */
  readonly prepareAll: () => void;
  /** Throws when a file that was opened holds a name that nothing has asked for. */
  readonly assertAllUsed: () => void;
}

/** Access to the SQL files. A name that a file does not have throws at once, so a wrong name stops the start. */
export function loadQueries(connection: Connection): Queries {
  const statements: Prepared<unknown>[] = [];
  const unused = new Set<string>();
  const opened = new Set<string>();

  function file(name: string, table?: LookupTable): QueryFile {
    const texts = textsOf(name);
    // Several modules may open a file; a name that one of them has asked for is used.
    if (!opened.has(name)) for (const query of texts.keys()) unused.add(`${name}.sql: ${query}`);
    opened.add(name);

    function fragment(query: string): string {
      const text = texts.get(query);
      if (text === undefined) throw new Error(`sql/queries/${name}.sql has no "${query}"`);
      unused.delete(`${name}.sql: ${query}`);
      return table === undefined ? text : text.replaceAll('{table}', table);
    }

    function statement<Row>(text: string): Prepared<Row> {
      const made = new Prepared<Row>(connection, text);
      statements.push(made);
      return made;
    }

    return {
      fragment,
      prepare: (query) => statement(fragment(query)),
      prepareFor: (columns, ...names) => statement(withColumns(names.map(fragment).join('\n'), columns)),
      assemble: (fragments) => statement(fragments.join('\n')),
    };
  }

  return {
    file,
    prepareAll: () => {
      for (const statement of statements) statement.prepare();
    },
    assertAllUsed: () => {
      if (unused.size > 0) throw new Error(`SQL that nothing uses: ${[...unused].join(', ')}`);
    },
  };
}

/** Prepares the statement that fragments of a file make, by their names in this order. */
export function assemble<Row>(sql: QueryFile, ...names: readonly string[]): Prepared<Row> {
  return sql.assemble(names.map((name) => sql.fragment(name)));
}

/** Throws for a name that is no column's: nothing else may get into the text. */
export function withColumns(sql: string, columns: readonly string[]): string {
  const odd = columns.find((column) => !/^[a-z_]+$/.test(column));
  if (odd !== undefined) throw new Error(`"${odd}" is no column`);
  const list = (text: (column: string) => string): string => columns.map(text).join(', ');
  return sql
    .replace(/\{(\w+\.)?fields\}/, (_, table = '') => list((column) => `${table}${column}`))
    .replace('{values}', () => list((column) => `:${column}`))
    .replace('{assignments}', () => list((column) => `${column} = :${column}`));
}

const textsByFile = new Map<string, ReadonlyMap<string, string>>();

/** The statements of a file by name. It is read once, since several modules open it. */
function textsOf(name: string): ReadonlyMap<string, string> {
  const known = textsByFile.get(name);
  if (known) return known;
  const texts = parseQueries(readFileSync(new URL(`queries/${name}.sql`, sqlFolder), 'utf8'));
  textsByFile.set(name, texts);
  return texts;
}

/** Splits a file at its `-- name: verbNoun` lines. Throws when a name stands twice. */
function parseQueries(source: string): Map<string, string> {
  const texts = new Map<string, string>();
  const [, ...parts] = source.split(/^-- name: /m);
  for (const part of parts) {
    const end = part.indexOf('\n');
    const name = part.slice(0, end).trim();
    if (texts.has(name)) throw new Error(`SQL name "${name}" stands twice`);
    texts.set(name, part.slice(end + 1).trim());
  }
  return texts;
}
