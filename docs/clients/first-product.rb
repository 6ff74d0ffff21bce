# STOREFRONT_KEY=... ruby first-product.rb picture.png
require 'json'
require 'net/http'
require 'securerandom'

KEY = ENV['STOREFRONT_KEY']
URL = ENV.fetch('STOREFRONT_URL', 'http://localhost:3000')
abort 'Usage: STOREFRONT_KEY=... ruby first-product.rb picture.png' unless KEY && ARGV[0] && File.file?(ARGV[0])

# The bytes of an answer. What may succeed later is tried 5 times: after Retry-After, or 1, 2, 4, 8 s, and a bit.
def again(method, address, headers = {}, body = nil)
  uri = URI(address)
  [1, 2, 4, 8, nil].each do |pause|
    begin
      answer = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https') do |http|
        http.send_request(method, uri.request_uri, body, headers)
      end
      return answer.body if answer.is_a?(Net::HTTPSuccess)
      problem = "#{answer.code}: #{answer.body}"
      wait = answer['Retry-After'] || (pause if %w[429 503 504].include?(answer.code))
    rescue SystemCallError, SocketError, IOError, Timeout::Error => error
      problem, wait = error.message, pause
    end
    abort problem if wait.nil? || pause.nil?
    sleep Float(wait) + rand
  end
end

def api(method, path, body = nil)
  headers = { 'Authorization' => "Bearer #{KEY}" }
  # One key for all attempts, so that the request is done once
  headers.update('Content-Type' => 'application/json', 'Idempotency-Key' => SecureRandom.uuid) if body
  JSON.parse(again(method, "#{URL}/api/v1#{path}", headers, body&.to_json))
end

puts "You are #{api('GET', '/user')['user']['name']}."
items = api('GET', '/items')['items']
items.each { |item| puts "#{item['id']}  #{item['humanizeName']}  from #{item['minPriceWithTax']}" }

text = api('POST', '/materials/text', { text: "Hello,\nworld" })
texture = "data:;base64,#{[File.binread(ARGV[0])].pack('m0')}"
wanted = [{ itemId: items[0]['id'], published: true }]
picture = api('POST', '/materials', { title: 'My picture', texture: texture, products: wanted })
(text['products'] + picture['products']).each do |product|
  puts "Product #{product['id']}: #{product['title']}, #{product['priceWithTax']}, #{product['sampleImageUrl']}"
end

product = picture['products'][0]
# The first request of a picture draws it, and is answered when it is there
drawn = again('GET', product['sampleImageUrl'])
File.binwrite("product-#{product['id']}.webp", drawn)
puts "product-#{product['id']}.webp has #{drawn.bytesize} bytes."
favored = api('POST', "/products/#{product['id']}/favorites", { count: 1 })
puts "It was favored #{favored['meta']['totalCount']} times."
