# Ruby, Rack: also the core of Rails and Sinatra. gem install puma; puma -p 3000 receiver.ru
require 'json'
require 'openssl'

MAX_BODY_BYTES = 64 * 1024 * 1024
SECRET = ENV.fetch('WEBHOOK_SECRET')
SEEN = {} # use your database: a unique index on event_id
LOCK = Mutex.new

def work(email)
  warn "#{email['event_id']} #{email['headers']['subject']}"
end

# Svc-Signature is v1,t=<unix seconds>,s=<hex>, with a second s= while the secret is rotated.
def from_inlet?(header, body)
  time = header[/\Av1,t=(\d{1,12}),/, 1]
  return false unless time && (Time.now.to_i - time.to_i).abs <= 300

  expected = "s=#{OpenSSL::HMAC.hexdigest('SHA256', SECRET, "#{time}.".b + body)}"
  header.split(',').any? { |given| OpenSSL.secure_compare(expected, given) }
end

def status_for(env)
  return 405 unless env['REQUEST_METHOD'] == 'POST'
  return 413 unless (1..MAX_BODY_BYTES).cover?(env['CONTENT_LENGTH'].to_i)

  body = env['rack.input'].read # the raw body: its bytes are signed
  return 401 unless from_inlet?(env['HTTP_SVC_SIGNATURE'].to_s.b, body)

  email = JSON.parse(body)
  return 204 if email['is_test'] # a sample, not an email

  is_new = LOCK.synchronize { !SEEN.key?(email['event_id']) && SEEN[email['event_id']] = true }
  Thread.new { work(email) } if is_new # after the response
  204
end

run ->(env) { [status_for(env), {}, []] }
