/** A moment to the second as names of files and folders tell it, such as 20261121T033000Z. */
export function stampOf(moment: Date): string {
  return moment.toISOString().replace(/[-:]|\.\d+/g, '');
}
