# STOREFRONT_KEY=... ruby first-product.rb image.png
require 'json'
require 'net/http'
require 'securerandom'

KEY = ENV['STOREFRONT_KEY']
URL = ENV.fetch('STOREFRONT_URL', 'http://localhost:3000')
abort 'Usage: STOREFRONT_KEY=... ruby first-product.rb image.png' unless KEY && ARGV[0] && File.file?(ARGV[0])

# Returns the body. Retries temporary failures, up to 5 attempts: after Retry-After, or 1, 2, 4, 8 s
# plus jitter.
def send_with_retries(method, address, headers = {}, body = nil)
  uri = URI(address)
  [1, 2, 4, 8, nil].each do |pause|
    begin
      response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https') do |http|
        http.send_request(method, uri.request_uri, body, headers)
      end
      # An installation with a CDN redirects image requests
      return send_with_retries('GET', response['Location']) if response.is_a?(Net::HTTPRedirection)
      return response.body if response.is_a?(Net::HTTPSuccess)
      problem = "#{response.code}: #{response.body}"
      wait = response['Retry-After'] || (pause if %w[429 503 504].include?(response.code))
    rescue SystemCallError, SocketError, IOError, Timeout::Error => error
      problem, wait = error.message, pause
    end
    abort problem if wait.nil? || pause.nil?
    sleep Float(wait) + rand
  end
end

def api(method, path, body = nil)
  headers = { 'Authorization' => "Bearer #{KEY}" }
  # One key for all attempts, so that the request is executed at most once
  headers.update('Content-Type' => 'application/json', 'Idempotency-Key' => SecureRandom.uuid) if body
  JSON.parse(send_with_retries(method, "#{URL}/api/v1#{path}", headers, body&.to_json))
end

puts "You are #{api('GET', '/user')['user']['name']}."
items = api('GET', '/items')['items']
items.each { |item| puts "#{item['id']}  #{item['humanizeName']}  from #{item['minPriceWithTax']}" }

text = api('POST', '/materials/text', { text: "Hello,\nworld" })
texture = "data:;base64,#{[File.binread(ARGV[0])].pack('m0')}"
products = [{ itemId: items[0]['id'], published: true }]
image = api('POST', '/materials', { title: 'My image', texture: texture, products: products })
(text['products'] + image['products']).each do |product|
  puts "Product #{product['id']}: #{product['title']}, #{product['priceWithTax']}, #{product['sampleImageUrl']}"
end

product = image['products'][0]
# The first request of an image renders it
rendered = send_with_retries('GET', product['sampleImageUrl'])
File.binwrite("product-#{product['id']}.webp", rendered)
puts "product-#{product['id']}.webp has #{rendered.bytesize} bytes."
favorite = api('POST', "/products/#{product['id']}/favorites", { count: 1 })
puts "Favorites: #{favorite['meta']['totalCount']}"
