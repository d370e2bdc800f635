/** Texts of the parts that several screens use. */
export const partsText = {
  cancel: 'Cancel',
  tryAgain: 'Try again',
  loading: 'Loading',
  missingTitle: 'Not found',
  missingText: 'It was deleted, or the link is not complete.',
  copy: (what: string) => `Copy ${what}`,
  copied: 'Copied',
  notCopied: 'The browser did not allow copying',
  pages: 'Pages',
  atLeast: (total: string) => `${total} or more`,
  range: (first: string, last: string, total: string) => `${first} to ${last} of ${total}`,
  noPageTitle: 'No such page',
  noPageText: 'The list has fewer pages than the link names.',
  firstPage: 'First page',
  nextPage: 'Next page',
  previousPage: 'Previous page',
};
