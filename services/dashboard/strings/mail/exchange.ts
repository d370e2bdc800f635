/** Texts of the request and the response of an attempt. */
export const exchangeText = {
  title: 'Request and response',
  sides: { response: 'Response', request: 'Request' },
  noResponse: 'The receiver did not respond.',
  noBody: 'The response has no body.',
  body: 'Beginning of the body',
  masked: 'Signatures and credentials are masked: Inlet does not store them.',
  notKept: 'Headers are stored for the last three attempts only.',
  payload: 'Show the payload',
};
