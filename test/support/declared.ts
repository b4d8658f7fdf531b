/** How many tests a file declares at least: what stands in a loop counts once. */
export function declaredTests(source: string): number {
  return source.match(/^\s*(?:await )?(?:t\.)?(?:test|mainPath)\(/gm)?.length ?? 0;
}
