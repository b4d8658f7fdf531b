import ts from 'typescript';

const NAMES = ['test', 'mainPath'];

/** How many tests a file declares at least: what stands in a loop or a helper counts once. */
export function declaredTests(source: string): number {
  let count = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && NAMES.includes(nameOf(node.expression))) count += 1;
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('a.ts', source, ts.ScriptTarget.Latest));
  return count;
}

/** `test` of `test(...)` and of `t.test(...)`, but not of `/expression/.test(...)`. */
function nameOf(called: ts.Expression): string {
  if (ts.isIdentifier(called)) return called.text;
  const isOfTest = ts.isPropertyAccessExpression(called) && ts.isIdentifier(called.expression);
  return isOfTest && called.expression.text === 't' ? called.name.text : '';
}
