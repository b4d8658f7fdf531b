import { readFileSync } from 'node:fs';
import type { Database as Connection, RunResult, Statement } from 'better-sqlite3';

/** Same path from the sources and from the build. */
export const sqlFolder = new URL('../../sql/', import.meta.url);

/** The two tables of the same shape. Only their names and the program's column names are ever substituted into SQL. */
export type LookupTable = 'categories' | 'food_types';

/** Values for a statement's named parameters. */
export type Bindings = Readonly<Record<string, string | number | null | Buffer>>;

/**
 * A statement whose rows have the columns of `Row`. Prepared on first use: there are hundreds, most commands
 * use few, and preparing all takes 20 ms.
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

  /** Makes rows their first column. */
  pluck(): this {
    this.#form = 'pluck';
    return this;
  }

  /** Makes rows arrays of their columns. */
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

  /** Prepares the statement unless it already is. */
  prepare(): Statement<[Bindings?], Row> {
    if (this.#prepared) return this.#prepared;
    const prepared = this.#connection.prepare<[Bindings?], Row>(this.#text);
    if (this.#form === 'pluck') prepared.pluck();
    if (this.#form === 'raw') prepared.raw();
    return (this.#prepared = prepared);
  }
}

/** The SQL files of a database. An unknown name throws at once, so a typo stops the start. */
export class Queries {
  readonly #connection: Connection;
  readonly #statements: Prepared<unknown>[] = [];
  readonly #unused = new Set<string>();
  readonly #opened = new Set<string>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Opens sql/queries/<name>.sql, replacing `{table}` by a lookup table. */
  file(name: string, table?: LookupTable): QueryFile {
    const texts = textsOf(name);
    // Several modules may open a file; one of them requesting a name is enough.
    if (!this.#opened.has(name)) for (const query of texts.keys()) this.#unused.add(`${name}.sql: ${query}`);
    this.#opened.add(name);
    const textOf = (query: string): string => {
      const text = texts.get(query);
      if (text === undefined) throw new Error(`sql/queries/${name}.sql has no "${query}"`);
      this.#unused.delete(`${name}.sql: ${query}`);
      return table === undefined ? text : text.replaceAll('{table}', table);
    };
    const statement = <Row>(text: string): Prepared<Row> => {
      const made = new Prepared<Row>(this.#connection, text);
      this.#statements.push(made);
      return made;
    };
    return {
      prepare: (...names) => statement(names.map(textOf).join('\n')),
      prepareFor: (columns, ...names) => statement(withColumns(names.map(textOf).join('\n'), columns)),
    };
  }

  /** Prepares all statements requested so far. Throws if one is not valid SQL for this database. */
  prepareAll(): void {
    for (const statement of this.#statements) statement.prepare();
  }

  /** Throws if an opened file contains a name that was never requested. */
  assertAllUsed(): void {
    if (this.#unused.size > 0) throw new Error(`SQL that nothing uses: ${[...this.#unused].join(', ')}`);
  }
}

/** One file of statements and fragments. Several names are joined into one statement, in this order. */
export interface QueryFile {
  /** Prepares a statement. `Row` declares its columns. */
  readonly prepare: <Row = unknown>(...names: readonly string[]) => Prepared<Row>;
  /**
   * Prepares a statement over the given columns: `{fields}` or `{table.fields}` becomes their list, `{values}`
   * their parameters, `{assignments}` both.
   */
  readonly prepareFor: <Row = unknown>(
    columns: readonly string[],
    ...names: readonly string[]
  ) => Prepared<Row>;
}

/** Throws unless every name is a plain column name: nothing else may enter the SQL text. */
export function withColumns(sql: string, columns: readonly string[]): string {
  const odd = columns.find((column) => !/^[a-z_]+$/.test(column));
  if (odd !== undefined) throw new Error(`"${odd}" is not a column`);
  const list = (text: (column: string) => string): string => columns.map(text).join(', ');
  return sql
    .replace(/\{(\w+\.)?fields\}/, (_, table = '') => list((column) => `${table}${column}`))
    .replace('{values}', () => list((column) => `:${column}`))
    .replace('{assignments}', () => list((column) => `${column} = :${column}`));
}

const textsByFile = new Map<string, ReadonlyMap<string, string>>();

/** The statements of a file by name; cached, since several modules open it. Throws on a duplicate name. */
function textsOf(file: string): ReadonlyMap<string, string> {
  const known = textsByFile.get(file);
  if (known) return known;
  const texts = new Map<string, string>();
  const [, ...parts] = readFileSync(new URL(`queries/${file}.sql`, sqlFolder), 'utf8').split(/^-- name: /m);
  for (const part of parts) {
    const end = part.indexOf('\n');
    const name = part.slice(0, end).trim();
    if (texts.has(name)) throw new Error(`SQL name "${name}" is defined twice in ${file}.sql`);
    texts.set(name, part.slice(end + 1).trim());
  }
  textsByFile.set(file, texts);
  return texts;
}
