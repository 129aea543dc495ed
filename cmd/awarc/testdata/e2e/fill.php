<?php
// Fills a WordPress with posts, pages and comments that are the same each time, and prints what the database holds.
//
//   php fill.php DIR     DIR holds wp-load.php
$_SERVER['HTTP_HOST'] = '127.0.0.1';
$_SERVER['REQUEST_URI'] = '/';
define('WP_INSTALLING', true);
require $argv[1] . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
mt_srand(12);

add_filter('wp_mail', fn($mail) => ['to' => ''] + $mail); // nobody is told
wp_install('A garden by the sea', 'editor', 'editor@example.org', true, '', 'no-password-of-use');
switch_theme('twentytwentyone');
foreach (['permalink_structure' => '/%year%/%monthnum%/%day%/%postname%/', 'posts_per_page' => 10, 'page_comments' => 1, 'comments_per_page' => 20,
    'thread_comments' => 1, 'thread_comments_depth' => 5, 'default_comments_page' => 'newest', 'comment_order' => 'asc', 'blog_public' => 1,
    'comment_moderation' => 0, 'comment_previously_approved' => 0, 'timezone_string' => 'Europe/Berlin'] as $name => $value) {
    update_option($name, $value);
}
$GLOBALS['wp_rewrite']->init();
flush_rewrite_rules();
foreach (get_posts(['post_type' => ['post', 'page'], 'post_status' => 'any', 'numberposts' => -1]) as $p) wp_delete_post($p->ID, true);

$words = explode(' ', 'apple beach bell boat bread bridge candle cedar clock cloud copper daisy ferry field flint forest frost garden gate glass grain harbour '
    . 'hazel heron hill honey island kettle lamp lantern larch ledge lily loft maple meadow mill mist moss north oak orchard otter paddle pebble pier plum '
    . 'quay rain raven reed river rope rye salt shore silver slate smoke snow spring stone storm straw stream summer swallow thistle tide timber tower '
    . 'valley violet walnut water willow wind winter wool wren Straße über café naïve Ελλάδα море 東京');
$prose = function (int $n) use ($words): string {
    $text = [];
    for ($i = 0; $i < $n; $i++) $text[] = $words[mt_rand(0, count($words) - 1)];
    return ucfirst(implode(' ', $text)) . '.';
};

$authors = [];
foreach (['anna', 'bert', 'cleo'] as $name) {
    $authors[] = wp_insert_user(['user_login' => $name, 'user_pass' => wp_generate_password(), 'display_name' => ucfirst($name), 'role' => 'author']);
}
$categories = [];
foreach (['Boats', 'Birds', 'Plants', 'Weather', 'Walks'] as $name) $categories[] = wp_insert_term($name, 'category')['term_id'];

$comment = function (int $post, int $parent, int $at) use ($prose): int {
    return wp_insert_comment(['comment_post_ID' => $post, 'comment_parent' => $parent, 'comment_author' => 'Reader ' . mt_rand(1, 60),
        'comment_author_email' => 'reader@example.org', 'comment_content' => $prose(mt_rand(5, 40)), 'comment_approved' => 1,
        'comment_date' => gmdate('Y-m-d H:i:s', $at), 'comment_date_gmt' => get_gmt_from_date(gmdate('Y-m-d H:i:s', $at))]);
};

$count = (int) (getenv('AWARC_WORDPRESS_POSTS') ?: 300);
$at = strtotime('2019-03-01 08:00:00');
for ($i = 0; $i < $count; $i++) {
    $at += mt_rand(20, 130) * 3600;
    $post = wp_insert_post(['post_title' => $prose(4) . ' ' . ($i + 1), 'post_content' => '<p>' . $prose(80) . "</p>\n\n<p>" . $prose(60) . '</p>', 'post_status' => 'publish',
        'post_author' => $authors[$i % 3], 'post_date' => gmdate('Y-m-d H:i:s', $at), 'post_date_gmt' => get_gmt_from_date(gmdate('Y-m-d H:i:s', $at)),
        'post_category' => [$categories[$i % 5]], 'tags_input' => [$words[$i % 40], $words[($i * 7) % 60]]]);
    // Most posts have few comments, some have several pages of them.
    $comments = $i % 37 == 0 ? 65 : mt_rand(0, 4);
    $last = 0;
    for ($c = 0; $c < $comments; $c++) $last = $comment($post, $c % 3 == 2 ? $last : 0, $at + 60 * ($c + 1));
}
$parent = 0;
for ($i = 0; $i < 12; $i++) {
    $parent = wp_insert_post(['post_type' => 'page', 'post_title' => 'Page of ' . $words[$i * 3], 'post_content' => '<p>' . $prose(70) . '</p>', 'post_status' => 'publish',
        'post_author' => 1, 'post_parent' => $i % 4 == 0 ? 0 : $parent]);
}
// The theme shows pages in a menu.
$menu = wp_create_nav_menu('Pages');
foreach (get_posts(['post_type' => 'page', 'post_parent' => 0, 'numberposts' => -1]) as $p) {
    foreach (array_merge([$p], get_pages(['child_of' => $p->ID])) as $q) {
        wp_update_nav_menu_item($menu, 0, ['menu-item-object-id' => $q->ID, 'menu-item-object' => 'page', 'menu-item-type' => 'post_type', 'menu-item-status' => 'publish']);
    }
}
set_theme_mod('nav_menu_locations', ['primary' => $menu]);
wp_update_term_count_now(get_terms(['taxonomy' => ['category', 'post_tag'], 'fields' => 'ids', 'hide_empty' => false]), 'category');

global $wpdb;
$rows = fn(string $type) => $wpdb->get_results($wpdb->prepare("SELECT ID, post_title FROM {$wpdb->posts} WHERE post_type = %s AND post_status = 'publish' ORDER BY ID", $type));
$list = fn(string $type) => array_map(fn($p) => ['id' => (int) $p->ID, 'url' => get_permalink($p->ID), 'title' => $p->post_title], $rows($type));
echo json_encode(['posts' => $list('post'), 'pages' => $list('page'),
    'comments' => array_map('intval', $wpdb->get_col("SELECT comment_ID FROM {$wpdb->comments} WHERE comment_approved = '1' ORDER BY comment_ID"))]), "\n";
