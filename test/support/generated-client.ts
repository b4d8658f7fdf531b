import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { CHECKOUT } from './checkout.ts';
import type { Cleanup } from './cleanup.ts';
import { temporaryFolder } from './service.ts';

/** A fault that the type check reports of one line. */
export interface TypeFault {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** A folder, removed after the test, with these files next to `api.ts`, the types of static/swagger.yaml. */
export async function projectWith(t: Cleanup, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(temporaryFolder(t), 'project');
  mkdirSync(folder);
  symlinkSync(new URL('node_modules', CHECKOUT), join(folder, 'node_modules'));
  const types = astToString(await openapiTS(new URL('../../static/swagger.yaml', import.meta.url)));
  const all = { ...files, 'api.ts': types, 'package.json': '{ "type": "module" }' };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  return folder;
}

/** The faults that TypeScript reports of these files of a folder, checked as strictly as the service itself. */
export function typeFaults(folder: string, files: readonly string[]): TypeFault[] {
  const settings: unknown = ts.parseConfigFileTextToJson(
    '',
    readFileSync(new URL('tsconfig.json', CHECKOUT), 'utf8'),
  ).config;
  const { options } = ts.parseJsonConfigFileContent({ ...Object(settings), include: [] }, ts.sys, folder);
  const program = ts.createProgram(
    files.map((file) => join(folder, file)),
    options,
  );
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => ({
    file: file?.fileName.slice(folder.length + 1) ?? '',
    line: (file?.getLineAndCharacterOfPosition(start).line ?? -1) + 1,
    message: ts.flattenDiagnosticMessageText(messageText, '\n'),
  }));
}
