/** Texts of the card with what Inlet read from an email. */
export const extractedText = {
  title: 'Extracted',
  codes: 'Codes',
  code: 'the code',
  noCodes: 'No code was found.',
  links: 'Links',
  link: 'the URL',
  noLinks: 'No link was found.',
  moreLinks: (count: string) => `and ${count} more in the payload`,
  otherHost: 'shows another host',
  hidden: 'Hidden text',
  noHidden: 'None.',
};
