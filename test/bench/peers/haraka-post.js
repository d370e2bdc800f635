/* global exports, OK, DENYSOFT */
/** A plugin of Haraka that accepts every recipient, parses the email, and posts it before the 250. */
'use strict';
const { simpleParser } = require('mailparser');

exports.register = function () {
  this.register_hook('rcpt', 'accept');
  this.register_hook('queue', 'post');
};

exports.accept = (next) => next(OK);

exports.post = async (next, { transaction }) => {
  try {
    const { subject, from, to, text, html, attachments } = await simpleParser(
      transaction.message_stream,
    );
    const files = attachments.map(({ filename, content }) => ({
      filename,
      content: content.toString('base64'),
    }));
    const response = await fetch(process.env.WEBHOOK_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ subject, from, to, text, html, attachments: files }),
    });
    await response.arrayBuffer();
    next(response.ok ? OK : DENYSOFT);
  } catch {
    next(DENYSOFT);
  }
};
